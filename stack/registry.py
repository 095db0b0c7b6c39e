"""A registry of plug-ins by name, loud about duplicates and unknown names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


class UnknownNameError(LookupError):
    """A name that no plug-in registered; the message lists those that did."""


class DuplicateNameError(ValueError):
    """Two plug-ins claimed one name."""


@dataclass(frozen=True, slots=True)
class Registry(Generic[T]):
    """Maps names to factories of `T`. `kind` names the thing in error messages."""

    kind: str
    _factories: dict[str, Callable[..., T]] = field(default_factory=dict)

    def register(self, name: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Decorator: file `factory` under `name`. Raises DuplicateNameError."""

        def file(factory: Callable[..., T]) -> Callable[..., T]:
            if name in self._factories:
                raise DuplicateNameError(f"{self.kind} {name!r} is registered twice")
            self._factories[name] = factory
            return factory

        return file

    def create(self, name: str, **params: object) -> T:
        """A new `T`. Raises UnknownNameError."""
        try:
            factory = self._factories[name]
        except KeyError:
            known = ", ".join(self.names())
            raise UnknownNameError(f"unknown {self.kind} {name!r}; known: {known}") from None
        return factory(**params)

    def factory(self, name: str) -> Callable[..., T]:
        """What makes the `T` of that name. Raises KeyError."""
        return self._factories[name]

    def names(self) -> tuple[str, ...]:
        """Every registered name, sorted."""
        return tuple(sorted(self._factories))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())
