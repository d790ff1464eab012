# SPDX-License-Identifier: Apache-2.0
# For tests that are scripts: check() counts failures in $failures, and shows $output if one fails.
# shellcheck shell=bash

check() { # description, command…
    local what=$1
    shift
    if ! "$@"; then
        echo "FAILED: $what"
        # shellcheck disable=SC2154 # set by the test
        sed 's/^/    | /' "$output"
        failures=$((failures + 1))
    fi
}
