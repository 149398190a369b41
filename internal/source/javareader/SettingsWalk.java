import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.util.*;

/** Goes through a text in the order in which it runs, and keeps what each variable holds. */
class SettingsWalk extends TreeScanner<Void, Void> {
    private static final Set<String> MAPS = Set.of("Properties", "HashMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap", "Hashtable");
    private static final Set<String> CLIENTS = Set.of("KafkaProducer", "KafkaConsumer", "KafkaShareConsumer", "KafkaStreams",
        "DefaultKafkaProducerFactory", "DefaultKafkaConsumerFactory");
    private static final Set<String> ADMINS = Set.of("Admin", "AdminClient", "KafkaAdminClient");
    private static final int DEPTH = 6;

    private final Text text;
    private final Output out;
    private final Folding folding;
    private final Map<String, MethodTree> methods = new HashMap<>();
    private final List<Settings> made = new ArrayList<>();
    private final Set<Tree> given = new HashSet<>();
    private final Set<String> emitted = new HashSet<>();
    private Map<String, Settings> variables = new HashMap<>();
    private List<Tree> path = new ArrayList<>();
    private Settings braces; // new Properties() {{ put(...); }}
    private List<Settings> results = new ArrayList<>();
    private int depth;

    SettingsWalk(Text text, Constants constants, Output out) {
        this.text = text;
        this.out = out;
        this.folding = new Folding(text, constants);
    }

    void run() {
        Set<String> twice = new HashSet<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitMethod(MethodTree m, Void none) {
                String name = m.getName() + "/" + m.getParameters().size();
                if (methods.put(name, m) != null) {
                    twice.add(name);
                }
                return super.visitMethod(m, none);
            }
        }.scan(text.unit, null);
        methods.keySet().removeAll(twice);
        scan(text.unit, null);
        for (Settings s : made) {
            given.addAll(s.from.subList(1, s.from.size()));
        }
        for (Settings s : made) {
            List<Entry> entries = s.settled(s.home);
            if (!given.contains(s.at) && entries.stream().anyMatch(e -> e.key.startsWith("@"))) {
                block(s, "", entries);
            }
        }
    }

    private void block(Settings s, String taker, List<Entry> entries) {
        Tree at = s.at;
        String name = text.start(at) + taker;
        if (entries.isEmpty() || !emitted.add(name)) {
            return;
        }
        out.line("block", text, text.line(at), text.column(at), taker, s.open ? "open" : "");
        for (Entry e : entries) {
            out.line("entry", text, text.line(e.at), text.column(e.at), e.key, e.value.kind, e.value.text, text.written(e.written),
                text.line(e.written), text.column(e.written), String.join(" ", e.value.changing), e.value.type, e.maybe ? "maybe" : "");
        }
    }

    // Statements: what runs always is scanned as it comes, what may not run is a branch.

    @Override
    public Void visitClass(ClassTree c, Void none) {
        Map<String, Settings> outer = variables;
        variables = new HashMap<>(outer);
        Folding.Scope scope = folding.enterClass(c);
        List<MethodTree> later = new ArrayList<>();
        for (Tree member : c.getMembers()) {
            if (member instanceof MethodTree) {
                later.add((MethodTree) member);
            } else {
                scan(member, none);
            }
        }
        later.sort(Comparator.comparing(m -> m.getReturnType() != null)); // constructors first
        for (MethodTree m : later) {
            scan(m, none);
        }
        folding.leave(scope);
        variables = outer;
        return null;
    }

    @Override
    public Void visitMethod(MethodTree m, Void none) {
        Map<String, Settings> fields = variables;
        variables = new HashMap<>(fields);
        m.getParameters().forEach(p -> variables.remove(p.getName().toString()));
        body(m);
        if (m.getReturnType() == null) {
            variables.keySet().retainAll(fields.keySet());
            fields.putAll(variables);
        }
        variables = fields;
        return null;
    }

    private void body(MethodTree m) {
        Folding.Scope scope = folding.enterMethod(m);
        List<Settings> outerResults = results;
        List<Tree> outerPath = path;
        results = new ArrayList<>();
        if (m.getReturnType() != null && depth == 0) {
            path = List.of(m);
        }
        scan(m.getBody(), null);
        path = outerPath;
        lastResults = results;
        results = outerResults;
        folding.leave(scope);
    }

    private List<Settings> lastResults = List.of();

    @Override
    public Void visitVariable(VariableTree v, Void none) {
        Settings s = v.getInitializer() == null ? null : eval(v.getInitializer());
        if (s == null) {
            variables.remove(v.getName().toString());
        } else {
            variables.put(v.getName().toString(), s);
        }
        return null;
    }

    @Override
    public Void visitAssignment(AssignmentTree a, Void none) {
        Settings s = eval(a.getExpression());
        String name = Names.variable(a.getVariable());
        if (s != null && !name.isEmpty()) {
            variables.put(name, s);
        }
        return null;
    }

    @Override
    public Void visitReturn(ReturnTree r, Void none) {
        Settings s = r.getExpression() == null ? null : eval(r.getExpression());
        if (s != null) {
            Settings copy = new Settings(s.at, path);
            copy.from.addAll(s.from);
            copy.open = s.open;
            copy.entries.addAll(s.settled(path));
            results.add(copy);
        }
        return null;
    }

    private void branch(Tree at, Tree... parts) {
        List<Tree> outer = path;
        path = new ArrayList<>(outer);
        path.add(at);
        for (Tree part : parts) {
            scan(part, null);
        }
        path = outer;
    }

    @Override
    public Void visitIf(IfTree i, Void none) {
        scan(i.getCondition(), none);
        branch(i.getThenStatement(), i.getThenStatement());
        if (i.getElseStatement() != null) {
            branch(i.getElseStatement(), i.getElseStatement());
        }
        return null;
    }

    @Override
    public Void visitForLoop(ForLoopTree f, Void none) {
        scan(f.getInitializer(), none);
        branch(f, f.getStatement());
        return null;
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree f, Void none) {
        scan(f.getExpression(), none);
        branch(f, f.getStatement());
        return null;
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree w, Void none) {
        branch(w, w.getStatement());
        return null;
    }

    @Override
    public Void visitCatch(CatchTree c, Void none) {
        branch(c, c.getBlock());
        return null;
    }

    @Override
    public Void visitCase(CaseTree c, Void none) {
        branch(c, c.getStatements() == null ? new Tree[] {c.getBody()} : c.getStatements().toArray(new Tree[0]));
        return null;
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree l, Void none) {
        branch(l, l.getBody());
        return null;
    }

    @Override
    public Void visitConditionalExpression(ConditionalExpressionTree c, Void none) {
        branch(c.getTrueExpression(), c.getTrueExpression());
        branch(c.getFalseExpression(), c.getFalseExpression());
        return null;
    }

    // Expressions.

    @Override
    public Void visitNewClass(NewClassTree n, Void none) {
        evalNew(n);
        return null;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
        evalCall(call);
        return null;
    }

    /** The settings that an expression is; null for anything else. */
    private Settings eval(ExpressionTree e) {
        if (e instanceof ParenthesizedTree) {
            return eval(((ParenthesizedTree) e).getExpression());
        }
        if (e instanceof TypeCastTree) {
            return eval(((TypeCastTree) e).getExpression());
        }
        if (e instanceof NewClassTree) {
            return evalNew((NewClassTree) e);
        }
        if (e instanceof MethodInvocationTree) {
            return evalCall((MethodInvocationTree) e);
        }
        Settings s = variables.get(Names.variable(e));
        if (s == null) {
            scan(e, null);
        }
        return s;
    }

    private List<Settings> evalAll(List<? extends ExpressionTree> args) {
        List<Settings> all = new ArrayList<>();
        for (ExpressionTree a : args) {
            all.add(eval(a));
        }
        return all;
    }

    private Settings begin(Tree at) {
        Settings s = new Settings(at, path);
        made.add(s);
        return s;
    }

    private Settings evalNew(NewClassTree n) {
        String name = Names.simple(n.getIdentifier());
        List<Settings> args = evalAll(n.getArguments());
        if (MAPS.contains(name)) {
            Settings s = begin(n);
            // A client does not see the defaults of Properties: it copies the entries alone.
            if (!name.equals("Properties") && !args.isEmpty()) {
                merge(s, args.get(0), n.getArguments().get(0));
            }
            inBraces(n, s);
            return s;
        }
        if (CLIENTS.contains(name) && text.kafka(name)) {
            args.stream().filter(Objects::nonNull).findFirst().ifPresent(s -> client(n, name, s));
        }
        scan(n.getClassBody(), null);
        return null;
    }

    /** Adds what is known of a map; the size of a new one is none. */
    private void merge(Settings s, Settings more, ExpressionTree written) {
        if (more != null) {
            s.merge(more, path);
        } else {
            s.open = s.open || !(written instanceof LiteralTree);
        }
    }

    private void inBraces(NewClassTree n, Settings s) {
        if (n.getClassBody() == null) {
            return;
        }
        Settings outer = braces;
        braces = s;
        n.getClassBody().getMembers().stream().filter(m -> m instanceof BlockTree).forEach(m -> scan(m, null));
        braces = outer;
    }

    private void client(Tree call, String name, Settings s) {
        given.addAll(s.from);
        block(s, name, s.settled(path));
    }

    private Settings evalCall(MethodInvocationTree call) {
        String method = Names.method(call);
        ExpressionTree on = Names.target(call);
        if (ADMINS.contains(String.valueOf(on)) && method.equals("create") && text.kafka(on.toString())) {
            evalAll(call.getArguments()).stream().filter(Objects::nonNull).findFirst().ifPresent(s -> client(call, "AdminClient", s));
            return null;
        }
        if ("Map".equals(String.valueOf(on)) || "ImmutableMap".equals(String.valueOf(on))) {
            return evalMap(call, method);
        }
        Settings target = on == null ? braces : eval(on);
        if (target != null && change(target, call, method)) {
            return target;
        }
        List<Settings> args = evalAll(call.getArguments());
        if ("Collections".equals(String.valueOf(on))) {
            return args.isEmpty() ? null : args.get(0);
        }
        return follow(call, method, args);
    }

    private Settings evalMap(MethodInvocationTree call, String method) {
        List<? extends ExpressionTree> args = call.getArguments();
        if (method.equals("copyOf")) {
            return eval(args.get(0));
        }
        Settings s = begin(call);
        if (method.equals("of")) {
            for (int i = 0; i + 1 < args.size(); i += 2) {
                set(s, args.get(i), args.get(i + 1));
            }
        }
        if (method.equals("ofEntries")) {
            for (ExpressionTree a : args) {
                if (a instanceof MethodInvocationTree && Names.method((MethodInvocationTree) a).equals("entry")) {
                    List<? extends ExpressionTree> pair = ((MethodInvocationTree) a).getArguments();
                    set(s, pair.get(0), pair.get(1));
                }
            }
        }
        return s;
    }

    /** The methods that change a map; false for any other. */
    private boolean change(Settings s, MethodInvocationTree call, String method) {
        List<? extends ExpressionTree> args = call.getArguments();
        switch (method) {
            case "put":
            case "setProperty":
            case "putIfAbsent":
            case "replace":
                if (args.size() == 2) {
                    set(s, args.get(0), args.get(1));
                }
                return true;
            case "putAll":
                merge(s, eval(args.get(0)), args.get(0));
                return true;
            case "remove":
                String key = key(args.get(0));
                s.entries.removeIf(e -> e.key.equals(key));
                return true;
            default:
                return false;
        }
    }

    private String key(ExpressionTree e) {
        Value v = folding.fold(e);
        return v.kind.equals("text") || v.kind.equals("constant") ? v.text : "";
    }

    private void set(Settings s, ExpressionTree keyTree, ExpressionTree value) {
        String key = key(keyTree);
        if (key.isEmpty()) {
            s.open = true;
        } else {
            s.entries.add(new Entry(key, keyTree, folding.fold(value), value, path));
        }
        scan(value, null);
    }

    /** Walks a method of the text that takes or returns settings. */
    private Settings follow(MethodInvocationTree call, String method, List<Settings> args) {
        MethodTree m = methods.get(method + "/" + args.size());
        boolean takes = args.stream().anyMatch(Objects::nonNull);
        if (m == null || m.getBody() == null || depth >= DEPTH) {
            args.stream().filter(Objects::nonNull).forEach(s -> s.open = true);
            return null;
        }
        if (!takes && !returnsSettings(m)) {
            return null;
        }
        Map<String, Settings> outer = variables;
        variables = new HashMap<>(outer);
        for (int i = 0; i < args.size(); i++) {
            String name = m.getParameters().get(i).getName().toString();
            if (args.get(i) == null) {
                variables.remove(name);
            } else {
                variables.put(name, args.get(i));
            }
        }
        depth++;
        body(m);
        depth--;
        variables = outer;
        if (lastResults.size() != 1) {
            return null;
        }
        Settings result = new Settings(lastResults.get(0).at, path);
        result.merge(lastResults.get(0), path);
        for (int i = 0; i < result.entries.size(); i++) {
            result.entries.set(i, result.entries.get(i).with(lastResults.get(0).entries.get(i).value, path));
        }
        return result;
    }

    private static boolean returnsSettings(MethodTree m) {
        String type = Names.simple(m.getReturnType());
        return type.equals("Map") || MAPS.contains(type);
    }
}
