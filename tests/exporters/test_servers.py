"""LMCache servers come and go."""

from exporters.servers import Servers
from tests.exporters.test_fleet import Listed, engine


def test_what_is_listed_joins_what_is_named_and_goes_again() -> None:
    pods = Listed(engine("llm-0", "10.0.0.1:8080"), engine("llm-1", "10.0.0.2:8080"))
    servers = Servers({"lmcache": "http://lmcache:8080"}, pods)
    assert dict(servers) == {"lmcache": "http://lmcache:8080"}
    servers.refresh()
    assert (len(servers), servers["llm-1"]) == (3, "http://10.0.0.2:8080")
    pods.targets = [engine("llm-0", "10.0.0.3:8080")]
    servers.refresh()
    servers.refresh()
    assert dict(servers) == {"llm-0": "http://10.0.0.3:8080", "lmcache": "http://lmcache:8080"}


def test_a_name_that_is_given_counts_more_than_the_list() -> None:
    servers = Servers({"a": "http://named"}, Listed(engine("a", "10.0.0.1:8080")))
    servers.refresh()
    assert dict(servers) == {"a": "http://named"}


def test_without_a_list_the_named_ones_are_all() -> None:
    servers = Servers({"a": "http://named"}, None)
    servers.refresh()
    assert dict(servers) == {"a": "http://named"}
