package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// namesLibrary expects everything that a report prints of a client.
func namesLibrary(_ context.Context, s Subject) error {
	library := s.Driver.Library()
	if s.Driver.Client() == "" || library.Name == "" || library.Version == "" {
		return fmt.Errorf("expected a client and a library with a version, got client %q, library %q version %q",
			s.Driver.Client(), library.Name, library.Version)
	}
	return nil
}

// tellsAbilities: transactions are built on idempotence (KIP-98), and who has
// none must say so. Who says that it sends batches made by hand has a way to.
func tellsAbilities(_ context.Context, s Subject) error {
	can := s.Driver.Abilities()
	if _, has := s.Driver.(drivers.RawDriver); has != can.Raw {
		return fmt.Errorf("expected a drivers.RawDriver to have the ability for raw requests, and nobody else, got %t and %t", has, can.Raw)
	}
	if can.Transactions {
		if !can.Idempotence {
			return fmt.Errorf("expected a library with transactions to have idempotence, got %+v", can)
		}
		return nil
	}
	p, err := s.Driver.NewTransactionalProducer(s.transactional("kcompare-drivertest"))
	if err == nil {
		return errors.Join(errors.New("new transactional producer: expected an error of a library without transactions, got none"), p.Close())
	}
	return nil
}

// refusesUnknownSetting asks every way to make a client.
func refusesUnknownSetting(_ context.Context, s Subject) error {
	settings := s.transactional("kcompare-drivertest")
	settings.Config[unknownKey] = "1"
	_, err := s.Driver.Differences(drivers.RoleConsumer, settings)
	producer, err1 := s.Driver.NewProducer(settings)
	transactional, err2 := s.Driver.NewTransactionalProducer(settings)
	consumer, err3 := s.Driver.NewConsumer(settings)
	return errors.Join(unknown("differences", nil, err), unknown("new producer", producer, err1),
		unknown("new transactional producer", transactional, err2), unknown("new consumer", consumer, err3))
}

const unknownKey = "no.such.setting"

// unknown expects the error, and closes what should not have been made.
func unknown(call string, made interface{ Close() error }, err error) error {
	var wrong *drivers.ConfigError
	if !errors.As(err, &wrong) || !slices.Contains(wrong.Keys, unknownKey) {
		err = fmt.Errorf("%s with %s=1: expected a *drivers.ConfigError that names the key, got: %v", call, unknownKey, err)
	} else {
		err = nil
	}
	if made != nil {
		err = errors.Join(err, made.Close())
	}
	return err
}

// tellsDifferences asks twice, of settings that few libraries express exactly.
func tellsDifferences(_ context.Context, s Subject) error {
	settings := s.settings(pairs{})
	for _, key := range []string{"message.max.bytes", "request.timeout.ms", "delivery.timeout.ms", "retry.backoff.ms", "reconnect.backoff.ms"} {
		settings.Config[key] = "10000"
		var unsupported *drivers.UnsupportedError
		if _, err := s.Driver.Differences(drivers.RoleProducer, settings); errors.As(err, &unsupported) {
			delete(settings.Config, key)
		}
	}
	first, err1 := s.Driver.Differences(drivers.RoleProducer, settings)
	second, err2 := s.Driver.Differences(drivers.RoleProducer, settings)
	var f findings
	if !slices.Equal(first, second) {
		f.add("differences: expected the same twice, got %q, then %q", first, second)
	}
	if !slices.IsSorted(first) {
		f.add("differences: expected them sorted, got %q", first)
	}
	for _, d := range first {
		if !isDifference(d, settings.Config) {
			f.add("difference %q: expected KEY: SENTENCE with a key of the settings, or an option that only the library has", d)
		}
	}
	return errors.Join(err1, err2, f.err())
}

// isDifference says whether d tells of a setting that was asked for, or of an option that
// has no canonical name: sarama tells of its own Config.Version.
func isDifference(d string, settings map[string]string) bool {
	key, text, ok := strings.Cut(d, ": ")
	_, canonical := config.Lookup(key)
	return ok && text != "" && !strings.ContainsAny(key, " \t") && (settings[key] != "" || !canonical)
}
