package planfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/twmb/franz-go/pkg/kerr"

	"kcompare/internal/config"
)

// field reads the value of one key into its place.
type field func(key string, value ast.Node) error

// mapping reads keys and values. what they describe stands in its errors.
func mapping(n ast.Node, what string, fields map[string]field) error {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return wrong(n, "%s: expected keys and values, got %s", what, kind(n))
	}
	for _, pair := range m.Values {
		key, ok := pair.Key.(*ast.StringNode)
		if !ok {
			return wrong(pair.Key, "%s: expected a plain key, got %s", what, kind(pair.Key))
		}
		read, known := fields[key.Value]
		if !known {
			return unknownKey(key, what, slices.Sorted(maps.Keys(fields)))
		}
		if err := read(key.Value, pair.Value); err != nil {
			return err
		}
	}
	return nil
}

func unknownKey(key *ast.StringNode, what string, known []string) error {
	if near := config.Nearest(key.Value, known); near != "" {
		return wrong(key, "unknown key %q in %s: did you mean %s?", key.Value, what, near)
	}
	return wrong(key, "unknown key %q in %s: expected %s", key.Value, what, strings.Join(known, ", "))
}

// text takes no numbers, so that nobody has to know what YAML makes of 1.10.
func text[T ~string](into *T) field {
	return func(key string, value ast.Node) error {
		s, ok := value.(*ast.StringNode)
		if !ok || s.Value == "" {
			return wrong(value, "%s: expected text, got %s", key, kind(value))
		}
		*into = T(s.Value)
		return nil
	}
}

// whole takes a number without a fraction that the place has room for.
func whole[T ~int | ~int16 | ~int32 | ~int64](into *T) field {
	return func(key string, value ast.Node) error {
		n, err := strconv.ParseInt(number(value), 10, 64)
		if err != nil || int64(T(n)) != n {
			return wrong(value, "%s: expected a whole number, got %s", key, kind(value))
		}
		*into = T(n)
		return nil
	}
}

// optional tells 0 from a key that is not there.
func optional[T ~int16 | ~int32 | ~int64](into **T) field {
	return func(key string, value ast.Node) error {
		*into = new(T)
		return whole(*into)(key, value)
	}
}

// number is the digits of a number as they stand in the file; empty for anything
// else, a number in quotes included.
func number(value ast.Node) string {
	switch value.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return value.GetToken().Value
	}
	return ""
}

func chance(into *float64) field {
	return func(key string, value ast.Node) error {
		n, err := strconv.ParseFloat(number(value), 64)
		if err != nil {
			return wrong(value, "%s: expected a number from 0 to 1, got %s", key, kind(value))
		}
		*into = n
		return nil
	}
}

func duration(into *time.Duration) field {
	return func(key string, value ast.Node) error {
		s, _ := value.(*ast.StringNode)
		if s == nil {
			return wrong(value, "%s: expected a duration such as 250ms or 2s, got %s", key, kind(value))
		}
		d, err := time.ParseDuration(s.Value)
		if err != nil {
			return wrong(value, "%s: expected a duration such as 250ms or 2s, got %s", key, kind(value))
		}
		*into = d
		return nil
	}
}

// mostSize keeps a size within what an int holds on any machine.
const mostSize = 1<<31 - 1

// size takes bytes as a number, or a number with a unit.
func size(into *int) field {
	return func(key string, value ast.Node) error {
		digits, unit := number(value), 1
		if s, ok := value.(*ast.StringNode); ok {
			digits, unit = splitUnit(s.Value)
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > mostSize/unit {
			return wrong(value, "%s: expected bytes such as 512, 64KiB or 1MiB, got %s", key, kind(value))
		}
		*into = n * unit
		return nil
	}
}

// splitUnit gives no digits for text without a unit: it is not a size.
func splitUnit(s string) (digits string, bytes int) {
	if digits, ok := strings.CutSuffix(s, "KiB"); ok {
		return strings.TrimSpace(digits), 1 << 10
	}
	if digits, ok := strings.CutSuffix(s, "MiB"); ok {
		return strings.TrimSpace(digits), 1 << 20
	}
	return "", 1
}

// code takes a Kafka error code by name or number.
func code(into *int16) field {
	return func(key string, value ast.Node) error {
		s, ok := value.(*ast.StringNode)
		if !ok {
			return whole(into)(key, value)
		}
		codes := errorCodes()
		n, known := codes[s.Value]
		if !known {
			return unknownCode(key, s, slices.Sorted(maps.Keys(codes)))
		}
		*into = n
		return nil
	}
}

func unknownCode(key string, name *ast.StringNode, known []string) error {
	if near := config.Nearest(name.Value, known); near != "" {
		return wrong(name, "%s: unknown error code %q: did you mean %s?", key, name.Value, near)
	}
	return wrong(name, "%s: unknown error code %q: expected a name such as NOT_LEADER_OR_FOLLOWER, or a number", key, name.Value)
}

// errorCodes is every code that kerr knows, by name. kerr has kept the old name of
// code 6; Kafka's own programs have printed the other one since 2.6.
func errorCodes() map[string]int16 {
	const highest = 1000 // far above the last one of Kafka 4.4, which is 136
	codes := map[string]int16{"NOT_LEADER_OR_FOLLOWER": kerr.NotLeaderForPartition.Code}
	for c := int16(-1); c < highest; c++ {
		if err := kerr.TypedErrorForCode(c); err != nil && err.Code == c {
			codes[err.Message] = c
		}
	}
	return codes
}

// kind is what a node is, in the words of an error.
func kind(n ast.Node) string {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.StringNode:
		return fmt.Sprintf("%.60q", n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	case *ast.MappingNode:
		return "keys and values"
	case *ast.SequenceNode:
		if len(n.Values) == 0 {
			return "an empty list"
		}
		return "a list"
	}
	return strings.ToLower(n.Type().YAMLName())
}
