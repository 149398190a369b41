// Parses Mermaid diagrams: a JSON list of texts on stdin, a JSON list of what is wrong with
// each on stdout, "" for nothing. The argument is the path of Mermaid's bundle.
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

// Mermaid hands texts to DOMPurify, which without a window is not even there. This is as
// much of one as it takes to be there and to leave texts alone: nothing is drawn here.
const document = { nodeType: 9, implementation: {}, createElement: () => ({}) };
globalThis.window = { document, Element: class {}, Node: class {} };

const { default: mermaid } = await import(pathToFileURL(process.argv[2]).href);
const wrong = [];
for (const diagram of JSON.parse(await text(process.stdin))) {
  try {
    await mermaid.parse(diagram);
    wrong.push('');
  } catch (err) {
    wrong.push(String(err.message || err));
  }
}
process.stdout.write(JSON.stringify(wrong));
