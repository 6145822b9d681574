"""The server does what its own description says, whatever is sent: a short, seeded run of schemathesis."""

import pytest
from hypothesis import HealthCheck, Phase, settings

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")


@pytest.fixture
def described(serve):
    app = serve(max_characters=200, max_texts=5, max_alternatives=2, max_file_bytes=2000).app
    return schemathesis.openapi.from_asgi("/openapi.json", app)


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_is_described(case):
    case.call_and_validate()
