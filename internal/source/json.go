package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// readJSON reads JSON files. JSON has no comments, so it has no ignores either.
func readJSON(_ context.Context, inputs []input) []File {
	files := make([]File, len(inputs))
	for i, in := range inputs {
		files[i] = readOneJSON(in)
	}
	return files
}

func readOneJSON(in input) File {
	f := File{Path: in.path, Language: JSON}
	j := jsonReader{input: in, decoder: json.NewDecoder(bytes.NewReader(in.text))}
	j.decoder.UseNumber()
	t, err := j.tree()
	if err == nil {
		err = j.end()
	}
	if err != nil {
		f.Unread = j.reason(err)
		return f
	}
	f.Blocks = t.blocks(hints{path: in.path})
	return f
}

// jsonReader builds a tree token by token, because only the decoder's offset tells where
// a value stands.
type jsonReader struct {
	input
	decoder *json.Decoder

	offset int // up to here lines are counted
	line   int
}

// next is the next token and where it begins.
func (j *jsonReader) next() (json.Token, Pos, error) {
	start := int(j.decoder.InputOffset())
	t, err := j.decoder.Token()
	if err != nil {
		return nil, Pos{}, err
	}
	start += len(j.text[start:]) - len(bytes.TrimLeft(j.text[start:], " \t\r\n,:"))
	return t, j.at(start), nil
}

func (j *jsonReader) at(offset int) Pos {
	j.line += bytes.Count(j.text[j.offset:offset], []byte("\n"))
	j.offset = offset
	lineStart := bytes.LastIndexByte(j.text[:offset], '\n') + 1
	return Pos{Line: j.line + 1 + j.firstLine, Column: utf8.RuneCount(j.text[lineStart:offset]) + 1}
}

func (j *jsonReader) tree() (tree, error) {
	t, at, err := j.next()
	switch {
	case err != nil:
		return tree{}, err
	case t == json.Delim('{'):
		return j.mapping(at)
	case t == json.Delim('['):
		return j.list(at)
	}
	v := jsonValue(t, at)
	return tree{at: at, value: &v}, nil
}

func (j *jsonReader) mapping(at Pos) (tree, error) {
	all := tree{at: at}
	for j.decoder.More() {
		key, keyAt, err := j.next()
		if err != nil {
			return all, err
		}
		name, _ := key.(string) // the decoder refuses any other key
		node, err := j.tree()
		if err != nil {
			return all, err
		}
		all.fields = append(all.fields, field{key: name, at: keyAt, node: node})
	}
	_, err := j.decoder.Token()
	return all, err
}

func (j *jsonReader) list(at Pos) (tree, error) {
	all := tree{at: at, items: []tree{}}
	for j.decoder.More() {
		item, err := j.tree()
		if err != nil {
			return all, err
		}
		all.items = append(all.items, item)
	}
	_, err := j.decoder.Token()
	return all, err
}

// end refuses what stands behind the document.
func (j *jsonReader) end() error {
	_, err := j.decoder.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errors.New("expected one document")
	}
	return err
}

func jsonValue(t json.Token, at Pos) Value {
	switch t := t.(type) {
	case string:
		return scalar(t, t, at)
	case json.Number:
		return Value{Kind: Number, Text: t.String(), Source: t.String(), At: at}
	case bool:
		text := fmt.Sprint(t)
		return Value{Kind: Truth, Text: text, Source: text, At: at}
	}
	return Value{Kind: Null, Source: "null", At: at}
}

func (j *jsonReader) reason(err error) string {
	offset := int(j.decoder.InputOffset())
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = min(int(syntax.Offset), len(j.text))
	}
	line := bytes.Count(j.text[:offset], []byte("\n")) + 1 + j.firstLine
	return fmt.Sprintf("line %d: %s", line, strings.TrimPrefix(err.Error(), "json: "))
}
