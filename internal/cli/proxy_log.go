package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/proxy"
)

// proxyLog is what a proxy tells while it runs: faults on stderr, requests in the
// trace file. fault and exchange are called by the proxy, one call at a time.
type proxyLog struct {
	stderr *lines
	trace  *lines   // nil without --trace
	file   *os.File // behind trace

	hits map[hitKey]int64
}

// hitKey is what faults are counted by.
type hitKey struct {
	client, api string
	action      fault.Action
}

// mostHitKeys bounds what a proxy remembers that clients with ever new ids pass by.
const mostHitKeys = 1000

func (o *proxyOptions) openLog() (*proxyLog, error) {
	l := &proxyLog{hits: map[hitKey]int64{}}
	if o.trace != "" {
		file, err := os.Create(o.trace)
		if err != nil {
			return nil, usagef("--trace: %w", err)
		}
		if err := evidence.EncodeTrace(file, evidence.Trace{}); err != nil { // the head alone
			return nil, errors.Join(err, file.Close())
		}
		l.file, l.trace = file, newLines(file)
	}
	l.stderr = newLines(o.state.Stderr)
	return l, nil
}

// fault counts and tells one fault.
func (l *proxyLog) fault(f proxy.FaultFired) {
	key := hitKey{f.Request.Client, f.Request.API, f.Rule.Action}
	if _, known := l.hits[key]; !known && len(l.hits) >= mostHitKeys {
		key.client = proxy.OtherClients
	}
	l.hits[key]++
	l.tell(faultLine(f))
}

// tell writes a line to stderr.
func (l *proxyLog) tell(line string) { l.stderr.add([]byte(line)) }

// faultLine is "    1.234s  lost-answer  drop-response  Produce  client "billing"  Produce orders 2".
func faultLine(f proxy.FaultFired) string {
	line := fmt.Sprintf("%9.3fs  %s  %s", f.At.Seconds(), f.Rule.Name, f.Rule.Action)
	if f.Request.API != "" { // a connection has neither
		line += fmt.Sprintf("  %s  client %q", f.Request.API, f.Request.Client)
	}
	for _, p := range f.Points {
		line += "  " + p.String()
	}
	return line + "\n"
}

// exchange writes one request whose fate is settled. The order is that of settling;
// n has the order of arrival.
func (l *proxyLog) exchange(e evidence.Exchange) {
	if l.trace == nil {
		return
	}
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(e) // an exchange has nothing that JSON could not hold
	l.trace.add(b.Bytes())
}

// failed ends the wait for Ctrl-C: a trace that is not written is no trace.
func (l *proxyLog) failed() <-chan struct{} {
	if l.trace == nil {
		return nil
	}
	return l.trace.failed
}

// close writes the rest. A terminal that takes no lines any more is no failure.
func (l *proxyLog) close() error {
	_ = l.stderr.close()
	if l.trace == nil {
		return nil
	}
	if err := errors.Join(l.trace.close(), l.file.Close()); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}
