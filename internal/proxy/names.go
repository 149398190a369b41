package proxy

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// apiNames are Kafka's own names; kmsg spells abbreviations in capitals.
var apiNames = func() map[int16]string {
	kafka := strings.NewReplacer("SASL", "Sasl", "SCRAM", "Scram", "ACLs", "Acls", "ISR", "Isr", "ID", "Id")
	names := map[int16]string{}
	for key := range int16(kmsg.MaxKey + 1) {
		if kmsg.RequestForKey(key) != nil {
			names[key] = kafka.Replace(kmsg.NameForKey(key))
		}
	}
	return names
}()

// APIs are the names that a rule may select, sorted.
func APIs() []string { return slices.Sorted(maps.Values(apiNames)) }

// apiName is the name of an API in evidence; vendors have keys of their own.
func apiName(key int16) string {
	if name, ok := apiNames[key]; ok {
		return name
	}
	return fmt.Sprintf("api-%d", key)
}

// apiKey is the key of an API by its name in evidence.
func apiKey(name string) (int16, bool) {
	for key, known := range apiNames {
		if known == name {
			return key, true
		}
	}
	return 0, false
}

// codeName is an error code by name, "ok" for 0.
func codeName(code int16) string {
	if code == 0 {
		return "ok"
	}
	if err := kerr.TypedErrorForCode(code); err != nil && err.Code == code {
		return err.Message
	}
	return fmt.Sprintf("code %d", code)
}

// resultOf is every error code of an answer by name, "ok" if there is none. It
// reads codes alone, never the text beside them.
func resultOf(resp kmsg.Response) string {
	var names []string
	eachCode(reflect.ValueOf(resp), func(code reflect.Value) {
		if name := codeName(int16(code.Int())); name != "ok" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	if len(names) == 0 {
		return "ok"
	}
	return strings.Join(names, ", ")
}

// eachCode visits every field named ErrorCode in a message.
func eachCode(v reflect.Value, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachCode(v.Elem(), visit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			return
		}
		for i := range v.Len() {
			eachCode(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Int16 && v.Type().Field(i).Name == "ErrorCode" {
				visit(f)
			} else if v.Type().Field(i).IsExported() {
				eachCode(f, visit)
			}
		}
	}
}
