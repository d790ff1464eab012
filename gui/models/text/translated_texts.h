// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>

/// Translation contexts that several files share.
namespace roofscope::gui {

struct RecordingText {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};

struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

}  // namespace roofscope::gui
