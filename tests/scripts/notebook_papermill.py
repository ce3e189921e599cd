"""Runs the notebook beside this script with papermill."""
# long
# needs: torch
import os
import tempfile

import papermill

here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as folder:
    papermill.execute_notebook(f"{here}/notebook.ipynb", f"{folder}/out.ipynb", kernel_name="python3",
                               progress_bar=False)
