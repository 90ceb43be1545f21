"""The local model's tests are left out only where the development requirements leave its server out."""

from tests.peers.conftest import required

collect_ignore = [] if required()["xllamacpp"] else ["test_local_model.py"]
