// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>

/// Where the translation finds texts that several files say together.
namespace roofscope::gui {

struct RecordingText {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};

struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

}  // namespace roofscope::gui
