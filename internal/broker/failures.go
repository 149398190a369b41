package broker

import (
	"slices"
	"strings"
)

// failures is what went wrong with several partitions, topics or groups. It is
// one line, because it ends up in the reasons of a verdict.
type failures []error

// joined is the errors among errs as one, nil if there are none.
func joined(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 0 {
		return nil
	}
	return failures(errs)
}

// Error joins the texts with semicolons.
func (f failures) Error() string {
	var texts []string
	for _, err := range f {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}

// Unwrap is every error.
func (f failures) Unwrap() []error { return f }
