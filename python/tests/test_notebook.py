# SPDX-License-Identifier: Apache-2.0
import base64

import pytest

import roofscope


def test_a_notebook_shows_roofline_and_actions(bundled: roofscope.Profile) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [f"import roofscope\nprofile = roofscope.open({str(bundled.path)!r})", "profile"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    (shown,) = book.cells[1].outputs
    page = shown.data["text/html"]
    picture = base64.b64decode(page.split("base64,")[1].split('"')[0])
    assert picture.startswith(b"<svg")
    assert page.count("<li>") >= 1
    assert "Uncoalesced global memory accesses" in page
    assert shown.data["text/markdown"].startswith("#")
