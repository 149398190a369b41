import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.math.BigDecimal;
import java.util.*;

/** What an expression is, as far as can be known without running it. */
class Value {
    final String kind; // text, number, truth, null, constant, code or computed
    final String text;
    final String type; // of Java: "String", "int", "long", "double", "boolean"; "" where unknown
    final List<String> changing;

    Value(String kind, String text, String type, List<String> changing) {
        this.kind = kind;
        this.text = text;
        this.type = type;
        this.changing = changing;
    }

    static Value of(String kind, String text, String type) {
        return new Value(kind, text, type, List.of());
    }

    static Value computed(List<String> changing) {
        return new Value("computed", "", "", changing);
    }

    boolean isNumber() {
        return kind.equals("number");
    }
}

/** Folds expressions of one text. */
class Folding {
    private static final int DEPTH = 8;
    private static final ExpressionTree[] UNKNOWN = {null};

    /** What names stand for: one expression that is never replaced, or nothing that can be known. */
    static class Scope {
        final Scope outer;
        final Map<String, ExpressionTree[]> names = new HashMap<>();
        String type = "";

        Scope(Scope outer) {
            this.outer = outer;
        }
    }

    private final Text text;
    private final Constants constants;
    private Scope scope = new Scope(null);

    Folding(Text text, Constants constants) {
        this.text = text;
        this.constants = constants;
    }

    /** Enters a class; what it returns is for leave. */
    Scope enterClass(ClassTree c) {
        Scope before = scope;
        scope = new Scope(before);
        scope.type = c.getSimpleName().toString();
        for (Tree member : c.getMembers()) {
            if (member instanceof VariableTree) {
                VariableTree v = (VariableTree) member;
                scope.names.put(v.getName().toString(), v.getInitializer() == null ? UNKNOWN : new ExpressionTree[] {v.getInitializer()});
            }
        }
        forgetAssigned(c);
        return before;
    }

    Scope enterMethod(MethodTree m) {
        Scope before = scope;
        scope = new Scope(before);
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitVariable(VariableTree v, Void none) {
                String name = v.getName().toString();
                boolean known = v.getInitializer() != null && !scope.names.containsKey(name);
                scope.names.put(name, known ? new ExpressionTree[] {v.getInitializer()} : UNKNOWN);
                return super.visitVariable(v, none);
            }
        }.scan(m, null);
        forgetAssigned(m);
        return before;
    }

    void leave(Scope before) {
        scope = before;
    }

    private void forgetAssigned(Tree within) {
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitAssignment(AssignmentTree a, Void none) {
                forget(a.getVariable());
                return super.visitAssignment(a, none);
            }

            @Override
            public Void visitCompoundAssignment(CompoundAssignmentTree a, Void none) {
                forget(a.getVariable());
                return super.visitCompoundAssignment(a, none);
            }

            @Override
            public Void visitUnary(UnaryTree u, Void none) {
                if (u.getKind().name().endsWith("CREMENT")) {
                    forget(u.getExpression());
                }
                return super.visitUnary(u, none);
            }

            private void forget(Tree variable) {
                scope.names.computeIfPresent(Names.variable(variable), (name, before) -> UNKNOWN);
            }
        }.scan(within, null);
    }

    /** The one expression that a name stands for; null where there is none. */
    ExpressionTree definition(String name) {
        for (Scope s = scope; s != null; s = s.outer) {
            if (s.names.containsKey(name)) {
                return s.names.get(name)[0];
            }
        }
        return null;
    }

    Value fold(ExpressionTree e) {
        Value v = fold(e, 0);
        return v.kind.equals("computed") ? Value.computed(changing(e, 0)) : v;
    }

    private Value fold(ExpressionTree e, int depth) {
        if (depth > DEPTH) {
            return Value.computed(List.of());
        }
        switch (e.getKind()) {
            case PARENTHESIZED:
                return fold(((ParenthesizedTree) e).getExpression(), depth);
            case TYPE_CAST:
                return cast((TypeCastTree) e, depth);
            case UNARY_MINUS:
                Value n = fold(((UnaryTree) e).getExpression(), depth);
                return n.isNumber() ? Value.of("number", number(new BigDecimal(n.text).negate()), n.type) : n;
            case IDENTIFIER:
                return named((IdentifierTree) e, depth);
            case MEMBER_SELECT:
                return member((MemberSelectTree) e, depth);
            case METHOD_INVOCATION:
                return call((MethodInvocationTree) e, depth);
            case NEW_CLASS:
            case LAMBDA_EXPRESSION:
            case MEMBER_REFERENCE:
            case NEW_ARRAY:
                return Value.of("code", "", "");
            default:
                if (e instanceof LiteralTree) {
                    return literal((LiteralTree) e);
                }
                return e instanceof BinaryTree ? binary((BinaryTree) e, depth) : Value.computed(List.of());
        }
    }

    private static Value literal(LiteralTree l) {
        switch (l.getKind()) {
            case NULL_LITERAL:
                return Value.of("null", "", "null");
            case BOOLEAN_LITERAL:
                return Value.of("truth", String.valueOf(l.getValue()), "boolean");
            case STRING_LITERAL:
                return Value.of("text", (String) l.getValue(), "String");
            case INT_LITERAL:
                return Value.of("number", String.valueOf(l.getValue()), "int");
            case LONG_LITERAL:
                return Value.of("number", String.valueOf(l.getValue()), "long");
            case FLOAT_LITERAL:
            case DOUBLE_LITERAL:
                return Value.of("number", number(new BigDecimal(String.valueOf(l.getValue()))), "double");
            default:
                return Value.computed(List.of());
        }
    }

    private static String number(BigDecimal n) {
        return n.signum() == 0 ? "0" : n.stripTrailingZeros().toPlainString();
    }

    private Value cast(TypeCastTree c, int depth) {
        Value v = fold(c.getExpression(), depth);
        return v.isNumber() ? Value.of("number", v.text, c.getType().toString()) : v;
    }

    private Value named(IdentifierTree id, int depth) {
        String name = id.getName().toString();
        ExpressionTree value = definition(name);
        if (value != null) {
            return fold(value, depth + 1);
        }
        String owner = text.importedFrom(name);
        return owner.isEmpty() ? Value.computed(List.of()) : Value.of("constant", "@" + owner + "." + name, "String");
    }

    private Value member(MemberSelectTree m, int depth) {
        String name = m.getIdentifier().toString();
        String owner = m.getExpression().toString();
        String simple = owner.substring(owner.lastIndexOf('.') + 1);
        if (name.equals("class")) {
            return Value.of("code", "", "Class");
        }
        switch (simple + "." + name) {
            case "Boolean.TRUE":
                return Value.of("truth", "true", "boolean");
            case "Boolean.FALSE":
                return Value.of("truth", "false", "boolean");
            case "Integer.MAX_VALUE":
                return Value.of("number", String.valueOf(Integer.MAX_VALUE), "int");
            case "Long.MAX_VALUE":
                return Value.of("number", String.valueOf(Long.MAX_VALUE), "long");
            default:
        }
        ExpressionTree value = owner.equals("this") ? definition(name) : constants.value(simple + "." + name);
        if (value != null) {
            Text in = owner.equals("this") ? text : constants.text(simple + "." + name);
            return (in == text ? this : new Folding(in, constants)).fold(value, depth + 1);
        }
        boolean ofKafka = owner.startsWith("org.apache.kafka.") || text.kafka(simple);
        return ofKafka && name.equals(name.toUpperCase(Locale.ROOT)) ? Value.of("constant", "@" + simple + "." + name, "String")
            : Value.computed(List.of());
    }

    private Value binary(BinaryTree b, int depth) {
        Value x = fold(b.getLeftOperand(), depth + 1);
        Value y = fold(b.getRightOperand(), depth + 1);
        boolean known = isPlain(x) && isPlain(y);
        if (known && b.getKind() == Tree.Kind.PLUS && (x.kind.equals("text") || y.kind.equals("text"))) {
            return Value.of("text", x.text + y.text, "String");
        }
        if (!x.isNumber() || !y.isNumber()) {
            return Value.computed(List.of());
        }
        String type = x.type.equals("double") || y.type.equals("double") ? "double" : x.type.equals("long") || y.type.equals("long") ? "long" : "int";
        BigDecimal l = new BigDecimal(x.text), r = new BigDecimal(y.text);
        switch (b.getKind()) {
            case PLUS:
                return Value.of("number", number(l.add(r)), type);
            case MINUS:
                return Value.of("number", number(l.subtract(r)), type);
            case MULTIPLY:
                return Value.of("number", number(l.multiply(r)), type);
            case LEFT_SHIFT:
                return Value.of("number", String.valueOf(l.longValue() << r.intValue()), type);
            case DIVIDE:
                if (r.signum() != 0 && !type.equals("double")) {
                    return Value.of("number", number(l.divideToIntegralValue(r)), type);
                }
                return Value.computed(List.of());
            default:
                return Value.computed(List.of());
        }
    }

    private static boolean isPlain(Value v) {
        return v.kind.equals("text") || v.kind.equals("number") || v.kind.equals("truth");
    }

    private static final Map<String, Long> MILLIS = Map.of(
        "ofMillis", 1L, "ofSeconds", 1000L, "ofMinutes", 60_000L, "ofHours", 3_600_000L, "ofDays", 86_400_000L);
    private static final Map<String, Long> UNITS = Map.of(
        "MILLISECONDS", 1L, "SECONDS", 1000L, "MINUTES", 60_000L, "HOURS", 3_600_000L, "DAYS", 86_400_000L);

    private Value call(MethodInvocationTree call, int depth) {
        String method = Names.method(call);
        String on = String.valueOf(Names.target(call));
        List<? extends ExpressionTree> args = call.getArguments();
        if (method.equals("toMillis") && args.isEmpty() && Names.target(call) instanceof MethodInvocationTree) {
            MethodInvocationTree made = (MethodInvocationTree) Names.target(call);
            return times(made.getArguments(), MILLIS.get(Names.method(made)), depth);
        }
        if (method.equals("toMillis") && on.startsWith("TimeUnit.")) {
            return times(args, UNITS.get(on.substring("TimeUnit.".length())), depth);
        }
        if (method.equals("toString") && args.isEmpty()) {
            Value v = fold(Names.target(call), depth + 1);
            return v.kind.equals("text") ? v : Value.computed(List.of());
        }
        if ((method.equals("getName") || method.equals("getCanonicalName")) && on.endsWith(".class")) {
            return Value.of("code", "", "Class");
        }
        if (args.size() != 1) {
            return on.equals("List") || on.equals("Arrays") ? list(args, depth) : Value.computed(List.of());
        }
        Value first = fold(args.get(0), depth + 1);
        switch (on + "." + method) {
            case "String.valueOf":
            case "Integer.toString":
            case "Long.toString":
            case "Boolean.toString":
                return isPlain(first) ? Value.of("text", first.text, "String") : Value.computed(List.of());
            case "Integer.valueOf":
            case "Integer.parseInt":
            case "Math.toIntExact":
                return isPlain(first) ? Value.of("number", first.text, "int") : Value.computed(List.of());
            case "Long.valueOf":
                return isPlain(first) ? Value.of("number", first.text, "long") : Value.computed(List.of());
            case "Boolean.valueOf":
                return isPlain(first) ? Value.of("truth", first.text, "boolean") : Value.computed(List.of());
            case "List.of":
            case "Arrays.asList":
            case "Collections.singletonList":
                return list(args, depth);
            default:
                return Value.computed(List.of());
        }
    }

    private Value times(List<? extends ExpressionTree> args, Long factor, int depth) {
        Value n = args.size() == 1 ? fold(args.get(0), depth + 1) : Value.computed(List.of());
        if (factor == null || !n.isNumber()) {
            return Value.computed(List.of());
        }
        return Value.of("number", number(new BigDecimal(n.text).multiply(BigDecimal.valueOf(factor))), "long");
    }

    private Value list(List<? extends ExpressionTree> args, int depth) {
        List<String> words = new ArrayList<>();
        for (ExpressionTree a : args) {
            Value v = fold(a, depth + 1);
            if (!v.kind.equals("text")) {
                return v.kind.equals("code") ? v : Value.computed(List.of());
            }
            words.add(v.text);
        }
        return Value.of("text", String.join(",", words), "List");
    }

    /** Calls whose result is another one at each start of a program. */
    private static final Set<String> CHANGERS = Set.of("UUID.randomUUID", "ProcessHandle.current", "System.currentTimeMillis", "System.nanoTime",
        "Instant.now", "LocalDateTime.now", "Math.random", "ThreadLocalRandom.current", "ManagementFactory.getRuntimeMXBean",
        "RandomStringUtils.randomAlphanumeric");

    private List<String> changing(Tree e, int depth) {
        Set<String> found = new LinkedHashSet<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
                String name = Names.target(call) + "." + Names.method(call);
                if (CHANGERS.contains(name)) {
                    found.add(name);
                }
                return super.visitMethodInvocation(call, none);
            }

            @Override
            public Void visitNewClass(NewClassTree n, Void none) {
                if (Names.simple(n.getIdentifier()).equals("Random") && n.getArguments().isEmpty()) {
                    found.add("new Random");
                }
                return super.visitNewClass(n, none);
            }

            @Override
            public Void visitIdentifier(IdentifierTree id, Void none) {
                ExpressionTree value = definition(id.getName().toString());
                if (value != null && depth < DEPTH) {
                    found.addAll(changing(value, depth + 1));
                }
                return null;
            }
        }.scan(e, null);
        return new ArrayList<>(found);
    }
}
