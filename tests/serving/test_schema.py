"""The server does what its own description says, whatever is sent: a short, seeded run of schemathesis."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ferryman.config import ServingConfig
from ferryman.serving.models import Fleet, Served
from ferryman.serving.service import Service

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
openapi = pytest.importorskip("schemathesis.specs.openapi.checks")
SHORT = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
def test_every_answer_is_one_that_is_described(start, translator):
    """Nothing is answered by 5xx, and status, kind and shape of each answer are among those that are told."""
    small = ServingConfig(max_characters=200, max_texts=5, max_alternatives=2, max_file_bytes=2000)
    address, _ = start(Service(Fleet([Served("boats", translator)]), small))
    checks = [
        schemathesis.checks.not_a_server_error,
        openapi.status_code_conformance,
        openapi.content_type_conformance,
        openapi.response_schema_conformance,
    ]
    operations = [one.ok() for one in schemathesis.openapi.from_url(f"{address}/openapi.json").get_all_operations()]
    assert len(operations) >= 12
    for operation in operations:

        @SHORT
        @given(operation.as_strategy())
        def check(case):
            case.call_and_validate(checks=checks)

        check()
