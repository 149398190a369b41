// Package htmltest opens the HTML reports of package report, its golden files, in a real
// browser: Chromium without a window, steered by its driver.
package htmltest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"kcompare/internal/child"
	"kcompare/internal/pythontest"
)

// browser is a session with a Chromium of its own, over the driver's W3C WebDriver
// protocol. It ends with the test.
type browser struct {
	t       testing.TB
	session string // its address
	axe     string // source of axe-core
}

// patience is for a busy machine: the browser is there within three seconds.
const patience = 2 * time.Minute

// newBrowser skips the test where Chromium, its driver or axe-core is missing; with
// CI=true that is a failure.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	chromium, driver := tool(t, "chromium"), tool(t, "chromedriver")
	axe, err := os.ReadFile(filepath.Join(pythontest.Repository(t), ".clients", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		missing(t, "axe-core is missing: make setup")
	}
	b := &browser{t: t, session: startDriver(t, driver), axe: string(axe)}
	var session struct{ SessionID string }
	b.call("", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"browserName":       "chrome",
		"goog:loggingPrefs": map[string]string{"browser": "ALL", "performance": "ALL"},
		"goog:chromeOptions": map[string]any{"binary": chromium, "args": []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + t.TempDir(),
		}},
	}}}, &session)
	b.session += "/" + session.SessionID
	t.Cleanup(func() { b.request(http.MethodDelete, "", map[string]any{}, nil) })
	return b
}

func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is missing: apt-get install chromium chromium-driver")
	}
	return path
}

func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

var port = regexp.MustCompile(`started successfully on port (\d+)`)

// startDriver returns where the driver makes sessions.
func startDriver(t *testing.T, driver string) string {
	t.Helper()
	starter := child.NewStarter()
	t.Cleanup(starter.Close)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(driver, "--port=0")
	command.Stdout = in
	process, err := starter.Start(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.KillGroup()
		<-process.Done()
		_ = out.Close()
	})
	_ = in.Close()
	if err := out.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := port.FindStringSubmatch(lines.Text()); found != nil {
			return "http://127.0.0.1:" + found[1] + "/session"
		}
	}
	t.Fatalf("chromedriver did not say within %v which port it has: %v", patience, lines.Err())
	return ""
}

// call posts a command and reads the value of its answer. Whatever goes wrong ends the
// test.
func (b *browser) call(path string, body, value any) {
	b.t.Helper()
	b.request(http.MethodPost, path, body, value)
}

func (b *browser) request(method, path string, body, value any) {
	b.t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	request, err := http.NewRequest(method, b.session+path, bytes.NewReader(content))
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %s %s %v", method, path, response.Status, answer, err)
	}
	if value == nil {
		return
	}
	if err := json.Unmarshal(answer, &struct{ Value any }{value}); err != nil {
		b.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

// open loads a file, and forgets what the logs have of others.
func (b *browser) open(file string) {
	b.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		b.t.Fatal(err)
	}
	b.log("browser")
	b.log("performance")
	b.call("/url", map[string]string{"url": "file://" + path}, nil)
}

// entry is a line of a log.
type entry struct{ Level, Message string }

func (b *browser) log(kind string) []entry {
	b.t.Helper()
	var entries []entry
	b.call("/se/log", map[string]string{"type": kind}, &entries)
	return entries
}

// requests is every address that was asked for since the page was opened.
func (b *browser) requests() []string {
	b.t.Helper()
	var urls []string
	for _, e := range b.log("performance") {
		var event struct {
			Message struct {
				Method string
				Params struct{ Request struct{ URL string } }
			}
		}
		if err := json.Unmarshal([]byte(e.Message), &event); err != nil {
			b.t.Fatal(err)
		}
		if event.Message.Method == "Network.requestWillBeSent" {
			urls = append(urls, event.Message.Params.Request.URL)
		}
	}
	return urls
}

// devtools sends a command of Chromium's own protocol.
func (b *browser) devtools(command string, params, value any) {
	b.t.Helper()
	b.call("/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, value)
}

// eval is the value of an expression on the page, a promise's when it is kept. It works
// where the page's own scripts do not run.
func (b *browser) eval(expression string, value any) {
	b.t.Helper()
	var result struct {
		Result struct{ Value json.RawMessage }

		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.devtools("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &result)
	if e := result.ExceptionDetails; e != nil {
		b.t.Fatalf("%.200s: %s", expression, e.Exception.Description)
	}
	if value == nil {
		return
	}
	if err := json.Unmarshal(result.Result.Value, value); err != nil {
		b.t.Fatalf("%.200s: %v in %s", expression, err, result.Result.Value)
	}
}

func (b *browser) text(expression string) string {
	b.t.Helper()
	var text string
	b.eval(fmt.Sprintf("String(%s)", expression), &text)
	return text
}

// key presses one on the keyboard, whatever has the focus.
func (b *browser) key(name string) {
	b.t.Helper()
	text := map[string]string{"Enter": "\r"}[name]
	code := map[string]int{"Enter": 13, "Tab": 9}[name]
	b.devtools("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text}, nil)
	b.devtools("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": code}, nil)
}

// media is what the reader prefers, or prints.
func (b *browser) media(kind string, features ...string) {
	b.t.Helper()
	all := []map[string]string{}
	for i := 0; i < len(features); i += 2 {
		all = append(all, map[string]string{"name": features[i], "value": features[i+1]})
	}
	b.devtools("Emulation.setEmulatedMedia", map[string]any{"media": kind, "features": all}, nil)
}

func (b *browser) width(pixels int) {
	b.t.Helper()
	b.devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": false}, nil)
}

func (b *browser) scripting(on bool) {
	b.t.Helper()
	b.devtools("Emulation.setScriptExecutionDisabled", map[string]any{"value": !on}, nil)
}
