// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace roofscope::test {

/// Checks the part of JSON Schema that our schemas use. Stricter than the standard in one point:
/// unlisted keys are errors, so every written field must be described.
class SchemaChecker {
public:
    explicit SchemaChecker(const nlohmann::json& schema) : m_root(schema) {}

    std::string check(const nlohmann::json& value, const nlohmann::json& schema,
                      const std::string& at = "") const {
        if (schema.contains("$ref")) {
            const auto ref = schema["$ref"].get<std::string>();
            return check(value, m_root.at(nlohmann::json::json_pointer(ref.substr(1))), at);
        }
        if (schema.contains("anyOf")) {
            std::string all;
            for (const auto& option : schema["anyOf"]) {
                const auto error = check(value, option, at);
                if (error.empty()) return "";
                all += error + " / ";
            }
            return all;
        }
        if (schema.contains("const") && value != schema["const"]) return at + ": not the constant";
        if (schema.contains("enum") &&
            std::ranges::find(schema["enum"], value) == schema["enum"].end())
            return at + ": " + value.dump() + " is not listed";
        if (schema.contains("type") && !hasType(value, schema["type"])) {
            return at + ": " + value.type_name() + " is not " + schema["type"].dump();
        }
        if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) {
            return at + ": too small";
        }
        if (schema.contains("exclusiveMinimum") && value.is_number() &&
            value <= schema["exclusiveMinimum"]) {
            return at + ": too small";
        }
        if (schema.contains("minLength") && value.is_string() &&
            value.get_ref<const std::string&>().size() < schema["minLength"]) {
            return at + ": too short";
        }
        if (value.is_array() && schema.contains("items")) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                auto error = check(value[i], schema["items"], at + "/" + std::to_string(i));
                if (!error.empty()) return error;
            }
        }
        if (value.is_object()) {
            for (const auto& key : schema.value("required", nlohmann::json::array())) {
                if (!value.contains(key.get<std::string>())) return at + ": lacks " + key.dump();
            }
            for (const auto& [key, child] : value.items()) {
                const nlohmann::json* described = nullptr;
                if (schema.contains("properties") && schema["properties"].contains(key)) {
                    described = &schema["properties"][key];
                } else if (schema.contains("additionalProperties")) {
                    described = &schema["additionalProperties"];
                }
                if (described == nullptr) return at + "/" + key + ": not in the schema";
                auto error = check(child, *described, at + "/" + key);
                if (!error.empty()) return error;
            }
        }
        return "";
    }

private:
    static bool hasType(const nlohmann::json& value, const nlohmann::json& type) {
        if (type.is_array()) {
            for (const auto& one : type) {
                if (hasType(value, one)) return true;
            }
            return false;
        }
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        if (type == "string") return value.is_string();
        if (type == "boolean") return value.is_boolean();
        if (type == "null") return value.is_null();
        if (type == "array") return value.is_array();
        return type == "object" && value.is_object();
    }
    const nlohmann::json& m_root;
};

}  // namespace roofscope::test
