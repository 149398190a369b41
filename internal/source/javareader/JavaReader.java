import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.tools.*;

/**
 * Reads Kafka configuration in Java sources for kcompare, with the JDK's own parser and nothing else:
 * no class path is needed, and nothing is compiled.
 *
 * Input: for each text a line "file|listing BYTES", and the text. Output, fields parted by tabs:
 *
 *   unread  FILE LINE COLUMN MESSAGE
 *   block   FILE LINE COLUMN CLASS OPEN        settings that go to CLASS ("" where to nothing); OPEN: maybe not all
 *   entry   FILE LINE COLUMN KEY KIND TEXT SOURCE LINE COLUMN CHANGING TYPE MAYBE  of the block before
 *   member  FILE LINE COLUMN CLASS NAME        a constant of one of Kafka's classes
 *   fact    FILE LINE COLUMN RULE ABOUT ARG
 *
 * A key or text that is a constant of Kafka's is "@CLASS.NAME". Sources are walked by SettingsWalk,
 * values folded by Folding, and what code does beside settings is found by FactScan.
 */
public class JavaReader {
    public static void main(String[] args) throws IOException {
        List<Text> texts = Text.readAll(new DataInputStream(new BufferedInputStream(System.in)));
        Output out = new Output();
        List<Text> open = texts;
        for (int attempt = 0; attempt < Text.WRAPPINGS && !open.isEmpty(); attempt++) {
            open = parse(open);
        }
        Constants constants = new Constants(texts);
        for (Text t : texts) {
            if (t.unit == null) {
                out.line("unread", t, t.errorLine, t.errorColumn, t.error);
                continue;
            }
            new SettingsWalk(t, constants, out).run();
            new FactScan(t, constants, out).scan(t.unit, null);
        }
        out.flush();
    }

    /** Parses texts, and returns those that have to be tried in another wrapping. */
    static List<Text> parse(List<Text> texts) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<URI, Text> byName = new HashMap<>(); // the compiler wraps what it is given
        texts.forEach(t -> byName.put(t.toUri(), t));
        DiagnosticListener<JavaFileObject> listener = d -> {
            if (d.getKind() == Diagnostic.Kind.ERROR && d.getSource() != null) {
                byName.get(d.getSource().toUri()).fail(d);
            }
        };
        JavacTask task = (JavacTask) compiler.getTask(null, null, listener, List.of("-proc:none"), null, texts);
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        for (CompilationUnitTree unit : task.parse()) {
            byName.get(unit.getSourceFile().toUri()).parsed(unit, positions);
        }
        List<Text> again = new ArrayList<>();
        for (Text t : texts) {
            if (t.unit == null && t.wrapAgain()) {
                again.add(t);
            }
        }
        return again;
    }
}

/** One text: a file, or a listing that need not be a whole one. */
class Text extends SimpleJavaFileObject {
    static final int WRAPPINGS = 3;

    final int index;
    final boolean listing;
    final String original;
    String source;
    int shift; // lines that a wrapping puts before the text
    int wrapping;
    CompilationUnitTree unit;
    SourcePositions positions;
    String error;
    long errorLine, errorColumn;
    private boolean failed;
    private int importsEnd;

    Text(int index, boolean listing, String source) {
        super(URI.create("string:///" + index + "/Listing.java"), Kind.SOURCE);
        this.index = index;
        this.listing = listing;
        this.original = source;
        this.source = source;
    }

    static List<Text> readAll(DataInputStream in) throws IOException {
        List<Text> all = new ArrayList<>();
        for (String head = readLine(in); !head.isEmpty(); head = readLine(in)) {
            int blank = head.indexOf(' ');
            byte[] bytes = new byte[Integer.parseInt(head.substring(blank + 1))];
            in.readFully(bytes);
            all.add(new Text(all.size(), head.startsWith("listing"), new String(bytes, StandardCharsets.UTF_8)));
        }
        return all;
    }

    private static String readLine(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    @Override
    public CharSequence getCharContent(boolean ignore) {
        return source;
    }

    void fail(Diagnostic<?> d) {
        failed = true;
        if (error == null) {
            error = d.getMessage(Locale.ENGLISH);
            int at = Math.max(0, (int) d.getPosition());
            errorLine = d.getLineNumber();
            errorColumn = source.codePointCount(source.lastIndexOf('\n', at - 1) + 1, at) + 1;
        }
    }

    void parsed(CompilationUnitTree parsed, SourcePositions at) {
        if (!failed) {
            unit = parsed;
            positions = at;
        }
        if (wrapping == 0 && !parsed.getImports().isEmpty()) {
            ImportTree last = parsed.getImports().get(parsed.getImports().size() - 1);
            importsEnd = (int) at.getEndPosition(parsed, last);
        }
    }

    /** Makes members, and then statements, of the listing the body of a class. */
    boolean wrapAgain() {
        failed = false;
        wrapping++;
        if (!listing || wrapping >= WRAPPINGS) {
            return false;
        }
        String before = wrapping == 1 ? "class Listing {" : "class Listing { void listing() throws Exception {";
        String after = wrapping == 1 ? "\n}" : "\n}}";
        shift = importsEnd == 0 ? 1 : 0;
        String text = withoutDots(original);
        source = text.substring(0, importsEnd) + before + (shift == 1 ? "\n" : "") + text.substring(importsEnd) + after;
        return true;
    }

    /** A line that only says "..." leaves something out. */
    private static String withoutDots(String text) {
        return text.replaceAll("(?m)^(\\s*)\\.\\.\\.(\\s*)$", "$1// $2");
    }

    long line(Tree t) {
        return unit.getLineMap().getLineNumber(start(t)) - shift;
    }

    /** Columns count characters, a tab as one. */
    long column(Tree t) {
        long start = start(t);
        long lineStart = unit.getLineMap().getPosition(unit.getLineMap().getLineNumber(start), 1);
        return source.codePointCount((int) lineStart, (int) start) + 1;
    }

    long start(Tree t) {
        return positions.getStartPosition(unit, t);
    }

    String written(Tree t) {
        long end = positions.getEndPosition(unit, t);
        return end < 0 ? t.toString() : source.substring((int) start(t), (int) end);
    }

    /** Whether a simple name means a class of Kafka's here. */
    boolean kafka(String name) {
        for (ImportTree i : unit.getImports()) {
            String path = i.getQualifiedIdentifier().toString();
            if (path.endsWith("." + name)) {
                return path.startsWith("org.apache.kafka.") || path.startsWith("org.springframework.kafka.");
            }
        }
        for (ImportTree i : unit.getImports()) {
            String path = i.getQualifiedIdentifier().toString();
            if (!i.isStatic() && path.startsWith("org.apache.kafka.") && path.endsWith(".*")) {
                return true;
            }
        }
        return listing && unit.getImports().isEmpty();
    }

    /** The class of Kafka's that a static import takes a constant from; "" for none. */
    String importedFrom(String constant) {
        for (ImportTree i : unit.getImports()) {
            String path = i.getQualifiedIdentifier().toString();
            int dot = path.lastIndexOf('.');
            String last = path.substring(dot + 1);
            if (i.isStatic() && path.startsWith("org.apache.kafka.") && (last.equals(constant) || last.equals("*"))) {
                String owner = path.substring(0, dot);
                return owner.substring(owner.lastIndexOf('.') + 1);
            }
        }
        return "";
    }
}

/** What is said on stdout. */
class Output {
    private final StringBuilder all = new StringBuilder();

    void line(String record, Text t, Object... fields) {
        all.append(record).append('\t').append(t.index);
        for (Object f : fields) {
            all.append('\t').append(escape(String.valueOf(f)));
        }
        all.append('\n');
    }

    private static String escape(String s) {
        return s.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }

    void flush() throws IOException {
        System.out.write(all.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}

/** The constants of all classes in all texts, by "Class.NAME"; those of two classes of one name are left out. */
class Constants {
    private final Map<String, VariableTree> values = new HashMap<>();
    private final Map<String, Text> texts = new HashMap<>();
    private final Set<String> twice = new HashSet<>();

    Constants(List<Text> all) {
        for (Text t : all) {
            if (t.unit != null) {
                for (Tree type : t.unit.getTypeDecls()) {
                    add(t, type);
                }
            }
        }
        values.keySet().removeAll(twice);
    }

    private void add(Text t, Tree type) {
        if (!(type instanceof ClassTree)) {
            return;
        }
        ClassTree c = (ClassTree) type;
        for (Tree member : c.getMembers()) {
            add(t, member);
            if (member instanceof VariableTree && Names.isFinal((VariableTree) member)) {
                String name = c.getSimpleName() + "." + ((VariableTree) member).getName();
                if (values.put(name, (VariableTree) member) != null) {
                    twice.add(name);
                }
                texts.put(name, t);
            }
        }
    }

    ExpressionTree value(String name) {
        VariableTree v = values.get(name);
        return v == null ? null : v.getInitializer();
    }

    Text text(String name) {
        return texts.get(name);
    }
}

/** Names of trees. */
class Names {
    static boolean isFinal(VariableTree v) {
        return v.getModifiers().getFlags().contains(javax.lang.model.element.Modifier.FINAL);
    }

    /** The name of the class that new makes, without its package and type arguments. */
    static String simple(Tree type) {
        if (type instanceof ParameterizedTypeTree) {
            return simple(((ParameterizedTypeTree) type).getType());
        }
        if (type instanceof AnnotatedTypeTree) {
            return simple(((AnnotatedTypeTree) type).getUnderlyingType());
        }
        String name = String.valueOf(type);
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The first type argument of a declared type: "ConsumerRecord" of List<ConsumerRecord<String, String>>. */
    static String simpleArgument(String type) {
        int open = type.indexOf('<');
        String first = open < 0 ? "" : type.substring(open + 1).split("[<,>]")[0].trim();
        return first.substring(first.lastIndexOf('.') + 1);
    }

    /** The name of the method that is called. */
    static String method(MethodInvocationTree call) {
        ExpressionTree select = call.getMethodSelect();
        if (select instanceof MemberSelectTree) {
            return ((MemberSelectTree) select).getIdentifier().toString();
        }
        return select.toString();
    }

    /** What a method is called on; null for one of the class itself. */
    static ExpressionTree target(MethodInvocationTree call) {
        ExpressionTree select = call.getMethodSelect();
        return select instanceof MemberSelectTree ? ((MemberSelectTree) select).getExpression() : null;
    }

    /** The name of a variable or field, with or without this; "" for anything else. */
    static String variable(Tree t) {
        if (t instanceof ParenthesizedTree) {
            return variable(((ParenthesizedTree) t).getExpression());
        }
        if (t instanceof IdentifierTree) {
            return ((IdentifierTree) t).getName().toString();
        }
        if (t instanceof MemberSelectTree && ((MemberSelectTree) t).getExpression().toString().equals("this")) {
            return ((MemberSelectTree) t).getIdentifier().toString();
        }
        return "";
    }
}
