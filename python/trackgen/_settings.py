"""What the classes of config.py are made of: settings that are checked when they are set."""

from __future__ import annotations

import copy
import difflib
import operator
from typing import Any, ClassVar, Iterator, Mapping, Optional, TypeVar

from . import _library, errors
from ._library import lib

_Self = TypeVar("_Self", bound="Settings")


class Setting:
    """One setting: its name in files, and the values that it may have."""

    __slots__ = ("name", "kind", "default", "low", "high", "open", "choices", "reference", "zero", "attribute")

    def __init__(
        self, name: str, kind: str, default: Any, *, low: Optional[float] = None, high: Optional[float] = None,
        open: str = "", choices: tuple[str, ...] = (), reference: str = "", zero: bool = False,
    ) -> None:
        self.name, self.kind, self.default = name, kind, default
        self.low, self.high, self.open = low, high, open
        self.choices, self.reference = choices, reference
        self.zero = zero

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        return instance._values.get(self.attribute, self.default)

    def __set__(self, instance: Any, value: Any) -> None:
        instance._values[self.attribute] = self.checked(value)

    def checked(self, value: Any) -> Any:
        """Returns the value as it is kept, or raises ConfigError."""
        if value is None and self.default is None:
            return None
        converted = _CONVERSIONS[self.kind](value)
        if converted is None or not self._fits(converted):
            raise self._wrong(value)
        return converted

    def _fits(self, value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return all(self._fits(part) for part in value)
        if isinstance(value, str):
            return not self.choices or value in self.choices
        if isinstance(value, (bool, dict)):
            return True
        if value != value:  # NaN
            return False
        low, high = self.low, self.high
        if value == 0 and (self.zero or "zero" in self.open):
            return self.zero
        above = low is None or (value > low if "low" in self.open else value >= low)
        return above and (high is None or (value < high if "high" in self.open else value <= high))

    def allowed(self) -> str:
        """Says which values the setting may have."""
        if self.choices:
            return ("a list of " if self.kind == "string_list" else "one of ") + ", ".join(self.choices)
        words = _WORDS[self.kind]
        if self.low is not None and self.high is not None:
            first = "(" if "low" in self.open else "["
            last = ")" if "high" in self.open else "]"
            words += f" in {first}{self.low:g}, {self.high:g}{last}"
        return words + (", or None" if self.default is None else "")

    def _wrong(self, value: Any) -> errors.ConfigError:
        allowed = self.allowed()
        return errors.ConfigError(
            f"{self.name} is {value!r}, and has to be {allowed}", operation="configure", field=self.name, value=repr(value),
            allowed=allowed,
        )


def _number(value: Any) -> Optional[float]:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # an array, or an int that no float is near to
        return None


def _whole(value: Any) -> Optional[int]:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        number = _number(value)
    return int(number) if number is not None and number.is_integer() else None


def _plain(value: Any) -> Any:
    """Returns a value as files have it: lists in place of tuples. It shares nothing with the setting."""
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else copy.deepcopy(value)


def _flag(value: Any) -> Optional[bool]:
    return bool(value) if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") else None


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _range(value: Any) -> Optional[tuple[float, float]]:
    """A range from which each env draws; a number is a range of one value."""
    number = _number(value)
    if number is not None:
        return number, number
    numbers = _list(value, _number)
    if numbers is None or len(numbers) != 2 or not numbers[0] <= numbers[1]:
        return None
    return numbers[0], numbers[1]


def _list(value: Any, of: Any) -> Optional[list[Any]]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        return None
    parts = [of(part) for part in value]
    return None if any(part is None for part in parts) else parts


_CONVERSIONS: dict[str, Any] = {
    "int": _whole, "float": _number, "bool": _flag, "string": _text, "range": _range,
    "int_list": lambda value: _list(value, _whole),
    "float_list": lambda value: _list(value, _number),
    "string_list": lambda value: _list(value, _text),
    "mix": lambda value: _list(value, lambda part: dict(part) if isinstance(part, Mapping) else None),
}
_WORDS = {
    "int": "an int", "float": "a number", "bool": "True or False", "string": "a str", "range": "two numbers (low, high)",
    "int_list": "a list of ints", "float_list": "a list of numbers", "string_list": "a list of str",
    "mix": "a list of dicts, the components of a mixed batch",
}


def setting(name: str, kind: str, default: Any, **allowed: Any) -> Any:
    """Returns a Setting, whose value has the type that is written beside it."""
    return Setting(name, kind, default, **allowed)


class Settings:
    """A configuration or a group of one. Attributes are settings and groups; a wrong name or value raises at once."""

    _settings: ClassVar[dict[str, Setting]] = {}
    _groups: ClassVar[dict[str, type["Settings"]]] = {}
    _parts: ClassVar[tuple[str, ...]] = ()
    """Groups of which there is one: the tracks or the gates of a course. The first is there by default."""
    _values: dict[str, Any]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        cls._settings = {name: part for name, part in vars(cls).items() if isinstance(part, Setting)}
        lines = [f"- {name}: {part.allowed()}; by default {part.default}" for name, part in cls._settings.items()]
        cls.__doc__ = "\n".join([cls.__doc__ or "", "", *lines])  # for help(), which shows no docstrings of attributes

    def __init__(self, **settings: Any) -> None:
        object.__setattr__(self, "_values", {})
        for name, group in self._groups.items():
            object.__setattr__(self, name, None if name in self._parts[1:] else group())
        given = [name for name in self._parts if settings.get(name) is not None]
        if len(given) > 1:
            raise errors.ConfigError(
                f"{' and '.join(given)} are both given, and {type(self).__name__} has one of them", operation="configure",
                field=given[1], value=repr(settings[given[1]]), allowed=f"None beside {given[0]}",
            )
        for name, value in settings.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._settings:
            self._settings[name].__set__(self, value)
        elif name in self._groups:
            self._set_group(name, value)
        else:
            raise self._unknown(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._unknown(name)

    def _set_group(self, name: str, value: Any) -> None:
        kind = self._groups[name]
        if name in self._parts:
            for other in self._parts:
                object.__setattr__(self, other, None)
        if isinstance(value, kind):
            object.__setattr__(self, name, copy.deepcopy(value))
        elif isinstance(value, Mapping):
            object.__setattr__(self, name, kind(**value))
        else:
            raise errors.ConfigError(
                f"{name} is a group of settings, and {value!r} is neither a {kind.__name__} nor a dict",
                operation="configure", field=name, value=repr(value), allowed=f"a {kind.__name__} or a dict",
            )

    def _unknown(self, name: str) -> errors.UnknownSettingError:
        allowed = [path for path, _ in self._walk()]
        hint = self._hint(name, allowed)
        return errors.UnknownSettingError(
            f"{type(self).__name__} has no setting {name}{hint}", operation="configure", field=name,
            allowed=", ".join(allowed),
        )

    def _hint(self, name: str, names: list[str]) -> str:
        for path, setting in self._walk():
            if name and name in (setting.reference, path.replace(".", "_")):
                return f"; it is {path} here"
        leaves = {path.rpartition(".")[2]: path for path in reversed(names)}
        near = difflib.get_close_matches(name, [*names, *leaves, *self._groups], 1)
        if near:
            return f"; did you mean {leaves.get(near[0], near[0])}?"
        return f"; it has {', '.join([*self._settings, *self._groups])}"

    def _walk(self) -> Iterator[tuple[str, Setting]]:
        yield from self._settings.items()
        for name, kind in self._groups.items():
            for path, setting in (getattr(self, name) or kind())._walk():
                yield f"{name}.{path}", setting

    def set(self, name: str, value: Any) -> None:
        """Sets a setting by its name in configuration files, such as ``"road.half_width"``."""
        if not isinstance(name, str):
            raise self._unknown(repr(name))
        group, _, rest = name.partition(".")
        if rest and group in self._groups:
            if getattr(self, group) is None:
                setattr(self, group, {})
            getattr(self, group).set(rest, value)
        elif rest:
            raise self._unknown(name)
        else:
            setattr(self, group, value)

    def to_dict(self) -> dict[str, Any]:
        """Returns the settings that were set, as configuration files have them."""
        result = {name: _plain(value) for name, value in self._values.items() if value is not None}
        for name in self._groups:
            group = getattr(self, name)
            inner = None if group is None else group.to_dict()
            if inner or group is not None and name in self._parts:
                result[name] = inner
        return result

    def copy(self: _Self) -> _Self:
        """Returns a copy that can be changed by itself."""
        return copy.deepcopy(self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._groups})


class Configuration(Settings):
    """The configuration of a producer."""

    kind: ClassVar[str] = ""
    """The kind of producer: tracks, gates, course or race."""

    @classmethod
    def from_dict(cls: type[_Self], settings: Mapping[str, Any]) -> _Self:
        """Returns the configuration of a dict, as a configuration file has it. Names may be ``"road.half_width"``, too."""
        result = cls()
        for name, value in settings.items():
            result.set(name, value)
        return result

    @classmethod
    def from_reference(cls: type[_Self], **settings: Any) -> _Self:
        """Returns the configuration of settings by the names of the reference system, such as ``half_width=0.1``."""
        result = cls()
        names = {setting.reference: path for path, setting in result._walk() if setting.reference}
        for name, value in settings.items():
            result.set(names.get(name, name), value)
        return result

    def resolve(self) -> dict[str, Any]:
        """Returns all settings, with those that are derived from others.

        :raises ConfigError: settings do not fit together.
        """
        result: dict[str, Any] = _library.data(lib.tg_resolve, self.kind.encode(), self._json())
        return result

    def _json(self) -> bytes:
        import json

        return json.dumps(self.to_dict()).encode()
