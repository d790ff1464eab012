// SPDX-License-Identifier: Apache-2.0
#include "reports/language/first_sentences.h"
#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("the first sentences of a text are cut at its full stops") {
    const auto cut = [](std::string_view text, std::size_t room) {
        return firstSentences(text, room, Language::En);
    };
    CHECK(cut("Use one. Use two. Use three.", 100) == "Use one. Use two. Use three.");
    CHECK(cut("Use one. Use two. Use three.", 18) == "Use one. Use two.");
    CHECK(cut("Use one. Use two. Use three.", 12) == "Use one.");
    CHECK(cut("Use one. Use two. Use three.", 1) == "Use one.");
    CHECK(cut("One without an end", 1) == "One without an end");
    // What begins with a sign or a name in code.
    CHECK(cut("Use one. -Xptxas -v tells.", 1) == "Use one.");
    CHECK(cut("Use one. fp32 inputs lose bits.", 1) == "Use one.");
    CHECK(cut("Use one. torch.cat copies.", 1) == "Use one.");
}

TEST_CASE("a full stop within a sentence ends none") {
    const auto first = [](std::string_view text) {
        CAPTURE(text);
        const std::string whole(text);
        CHECK(firstSentences(whole + " Then measure.", 1, Language::En) == text);
    };
    first("Swap the loops, i.e. x and y.");
    first("Use a library, e.g. cuBLAS or your own.");
    first("Use wide types (e.g. y).");
    first("It waits for no. 3 and for no. 4.");
    first("It takes 2.5 times as long as torch.compile does.");
    first("Compare it with the library (e.g. PyTorch vs. JAX).");
}

TEST_CASE("of an edit the sentence that says what to do is taken") {
    const auto cut = [](std::string_view text, std::size_t room) {
        return sentencesOfEdit(text, text, room, Language::En);
    };
    CHECK(cut("This is a product. Pass several vectors. Or do not.", 20) ==
          "Pass several vectors.");
    CHECK(cut("This is a product. Pass several vectors. Or do not.", 40) ==
          "This is a product. Pass several vectors.");
    // The edit follows in the same sentence, or there is no other.
    CHECK(cut("This is a copy: keep the layout. Or do not.", 20) ==
          "This is a copy: keep the layout.");
    CHECK(cut("This is a product.", 5) == "This is a product.");
    CHECK(cut("Pass several vectors. This is a product.", 5) == "Pass several vectors.");
    const Language chinese = parseLanguage("zh").value();
    CHECK(sentencesOfEdit("这是乘积。合并向量。", "This is a product. Pass several vectors.", 1,
                          chinese) == "合并向量。");
}

TEST_CASE("a language without gaps has its own full stop") {
    const Language chinese = parseLanguage("zh").value();
    constexpr std::string_view text = "合并访问。再测量 2.5 次（e.g. x）。完成。";
    CHECK(firstSentences(text, 1, chinese) == "合并访问。");
    CHECK(firstSentences(text, text.size() - 1, chinese) == "合并访问。再测量 2.5 次（e.g. x）。");
}
