// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of a name that is a macro: cuda.h maps functions to versioned symbols by macro.
#define SYMBOL_TEXT(name) #name
#define SYMBOL(name) SYMBOL_TEXT(name)
