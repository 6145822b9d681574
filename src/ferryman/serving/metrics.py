"""What the service did, in numbers, as Prometheus counts them; no texts and nobody's name."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

LATENCIES = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Metrics:
    """Counts of one service."""

    def __init__(self, waiting: Callable[[], float], remembered: Callable[[], float]) -> None:
        """Set up; ``waiting`` tells the weight of the queue, ``remembered`` the entries of the cache."""
        self.registry = CollectorRegistry()
        self.requests = Counter("ferryman_requests", "Requests answered.", ("route", "status"), registry=self.registry)
        self.seconds = Histogram(
            "ferryman_request_seconds", "Time to answer.", ("route",), buckets=LATENCIES, registry=self.registry
        )
        self.characters = Counter("ferryman_characters", "Characters translated.", registry=self.registry)
        self.sentences = Counter(
            "ferryman_sentences", "Sentences translated, by where the translation came from.", ("by",),
            registry=self.registry,
        )  # fmt: skip
        self.batches = Histogram(
            "ferryman_batch_sentences", "Sentences translated together.", buckets=BATCHES, registry=self.registry
        )
        self.tokens = Counter("ferryman_source_tokens", "Source tokens (estimated).", registry=self.registry)
        self.busy = Counter("ferryman_translating_seconds", "Time spent translating.", registry=self.registry)
        for name, text, tell in (
            ("ferryman_queue_tokens", "Source tokens (estimated) that wait.", waiting),
            ("ferryman_cache_entries", "Sentences that are remembered.", remembered),
        ):
            Gauge(name, text, registry=self.registry).set_function(tell)

    def count_batch(self, sentences: int, tokens: int, seconds: float) -> None:
        """Count what was translated together."""
        self.batches.observe(sentences)
        self.tokens.inc(tokens)
        self.busy.inc(seconds)
        self.sentences.labels("model").inc(sentences)

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Write all in Prometheus' text format."""
        return generate_latest(self.registry)
