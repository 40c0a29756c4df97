from pathlib import Path

import pytest

from local.foreground import FolderUnusable, claimed


def test_a_folder_that_cannot_be_one_is_refused_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")

    with pytest.raises(FolderUnusable, match="Cannot use RUN_DIR="), claimed(file):
        pass

    (tmp_path / "lock").mkdir()
    with pytest.raises(FolderUnusable, match="Choose another RUN_DIR"), claimed(tmp_path):
        pass
