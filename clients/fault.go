package clients

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// fail notes the first fault, with the client's name before it and the last lines of
// stderr behind it, and kills the program: nothing that it says can be relied on.
func (p *process) fail(format string, args ...any) {
	<-p.started
	p.mu.Lock()
	if p.fault != nil {
		p.mu.Unlock()
		return
	}
	what := fmt.Errorf(format, args...)
	p.fault = fmt.Errorf("the program of %s %w%s", p.program.Client, what, p.lastWords())
	close(p.wrong)
	p.mu.Unlock()
	p.child.KillGroup()
}

// lastWords is what the program said on stderr.
func (p *process) lastWords() string {
	words := strings.TrimSpace(p.secrets.hide(p.stderr.String()))
	if words == "" {
		return "; it wrote nothing to stderr"
	}
	return "; the end of its stderr:\n" + words
}

func (p *process) isWrong() bool {
	select {
	case <-p.wrong:
		return true
	default:
		return false
	}
}

func (p *process) faultNow() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

var errEnded = errors.New("its program has ended")

// dead is why nothing can be asked any more.
func (p *process) dead() error {
	if err := p.faultNow(); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", p.program.Client, errEnded)
}

// quote shows a line, the beginning of it.
func (p *process) quote(line []byte) string {
	const enough = 200
	cut := p.secrets.hide(string(line[:min(len(line), 10*enough)]))
	if len(cut) > enough {
		return fmt.Sprintf("%q... (%d bytes)", cut[:enough], len(line))
	}
	return fmt.Sprintf("%q", cut)
}

// known says whether the protocol has the class.
func (f *failure) known() bool {
	return slices.Contains([]drivers.Class{
		drivers.Retriable, drivers.Abortable, drivers.Fenced, drivers.Fatal, drivers.UnknownOutcome, drivers.Application,
		unsupported, wrongConfig,
	}, f.Class)
}

// callError is what the library answered to a call.
func (f *failure) callError(call string) *drivers.Error {
	return &drivers.Error{Call: call, Class: f.Class, Code: f.Code, Text: f.Text}
}

// callError is a fault, or the end of a context, as an error of a call.
func (p *process) callError(call string, why error) *drivers.Error {
	if errors.Is(why, errGivenUp) {
		return &drivers.Error{
			Call: call, Class: drivers.UnknownOutcome, Code: "CONTEXT_ENDED",
			Text: "given up before the program of " + p.program.Client + " answered", Cause: why,
		}
	}
	return &drivers.Error{Call: call, Class: drivers.Fatal, Code: "PROGRAM", Text: why.Error(), Cause: why}
}

// callName is the driver method in lower case words.
func callName(verb string) string {
	switch verb {
	case "commit-offsets":
		return "commit"
	case "produce-many", "consume-many":
		return strings.TrimSuffix(verb, "-many") + " many"
	}
	if strings.HasPrefix(verb, "new-") {
		return "new client"
	}
	return strings.ReplaceAll(verb, "-", " ")
}

// secrets are values of settings that nobody may see, whatever the program prints.
type secrets struct {
	mu     sync.Mutex
	values map[string]bool
}

// note remembers the secret ones of these settings: as they are, and as JSON has them, in
// Go's way and in that of others.
func (s *secrets) note(settings map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, value := range settings {
		if setting, known := config.Lookup(name); known && setting.Secret() && value != "" {
			if s.values == nil {
				s.values = map[string]bool{}
			}
			inJSON := string(encode(value))
			inJSON = inJSON[1 : len(inJSON)-1]
			s.values[value], s.values[inJSON] = true, true
			s.values[strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(inJSON)] = true
		}
	}
}

// hide takes them out of a text, the longest first: a shorter one may be a part of it.
func (s *secrets) hide(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	longestFirst := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }
	for _, value := range slices.SortedFunc(maps.Keys(s.values), longestFirst) {
		text = strings.ReplaceAll(text, value, "(secret)")
	}
	return text
}
