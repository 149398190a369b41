import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.util.*;

/** Finds what code does beside settings. Only what is certain in the text alone is said. */
class FactScan extends TreePathScanner<Void, Void> {
    private static final Set<String> CONFIGS = Set.of("ProducerConfig", "ConsumerConfig", "AdminClientConfig", "CommonClientConfigs",
        "SaslConfigs", "SslConfigs", "TopicConfig");
    private static final Set<String> COMMITS = Set.of("commitSync", "commitAsync", "sendOffsetsToTransaction");
    private static final Set<String> FATAL = Set.of("ProducerFencedException", "OutOfOrderSequenceException", "AuthorizationException");

    private final Text text;
    private final Folding folding;
    private final Output out;
    private final Map<String, String> types = new HashMap<>(); // of variables and fields, as declared

    FactScan(Text text, Constants constants, Output out) {
        this.text = text;
        this.folding = new Folding(text, constants);
        this.out = out;
    }

    private void fact(Tree at, String rule, String about, String arg) {
        out.line("fact", text, text.line(at), text.column(at), rule, about, arg);
    }

    @Override
    public Void visitClass(ClassTree c, Void none) {
        Folding.Scope scope = folding.enterClass(c);
        declare(c);
        super.visitClass(c, none);
        folding.leave(scope);
        return null;
    }

    @Override
    public Void visitMethod(MethodTree m, Void none) {
        Folding.Scope scope = folding.enterMethod(m);
        declare(m);
        if (m.getBody() != null) {
            for (String producer : new MethodUses(getCurrentPath()).producers()) {
                judge(producer);
            }
        }
        super.visitMethod(m, none);
        folding.leave(scope);
        return null;
    }

    private void declare(Tree within) {
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitVariable(VariableTree v, Void none) {
                if (v.getType() != null) {
                    types.put(v.getName().toString(), v.getType().toString());
                }
                return super.visitVariable(v, none);
            }

            @Override
            public Void visitEnhancedForLoop(EnhancedForLoopTree f, Void none) {
                super.visitEnhancedForLoop(f, none);
                VariableTree v = f.getVariable();
                if ((v.getType() == null || v.getType().toString().equals("var")) && type(f.getExpression()).startsWith("ConsumerRecords")) {
                    types.put(v.getName().toString(), "ConsumerRecord");
                }
                return null;
            }
        }.scan(within, null);
    }

    /** The declared type of a variable; "" for anything else. */
    private String type(Tree t) {
        return types.getOrDefault(Names.variable(t), "");
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree m, Void none) {
        String owner = m.getExpression().toString();
        String simple = owner.substring(owner.lastIndexOf('.') + 1);
        String name = m.getIdentifier().toString();
        boolean constant = name.equals(name.toUpperCase(Locale.ROOT));
        if (constant && CONFIGS.contains(simple) && (owner.startsWith("org.apache.kafka.") || owner.equals(simple) && text.kafka(simple))) {
            out.line("member", text, text.line(m), text.column(m), simple, name);
        }
        return super.visitMemberSelect(m, none);
    }

    @Override
    public Void visitNewClass(NewClassTree n, Void none) {
        if (Names.simple(n.getIdentifier()).equals("OffsetAndMetadata") && text.kafka("OffsetAndMetadata") && !n.getArguments().isEmpty()
            && isRecordOffset(n.getArguments().get(0))) {
            fact(n.getArguments().get(0), "offset-not-next", committer(), text.written(n.getArguments().get(0)));
        }
        return super.visitNewClass(n, none);
    }

    /** The call that commits, where the offset stands in its argument. */
    private String committer() {
        for (TreePath p = getCurrentPath(); p != null; p = p.getParentPath()) {
            if (p.getLeaf() instanceof MethodInvocationTree && COMMITS.contains(Names.method((MethodInvocationTree) p.getLeaf()))) {
                return Names.method((MethodInvocationTree) p.getLeaf());
            }
        }
        return "OffsetAndMetadata";
    }

    private boolean isRecordOffset(ExpressionTree e) {
        ExpressionTree value = folding.definition(Names.variable(e));
        if (value != null) {
            e = value;
        }
        if (!(e instanceof MethodInvocationTree) || !Names.method((MethodInvocationTree) e).equals("offset")) {
            return false;
        }
        ExpressionTree on = Names.target((MethodInvocationTree) e);
        if (on instanceof MethodInvocationTree) { // records.get(records.size() - 1).offset()
            MethodInvocationTree get = (MethodInvocationTree) on;
            return Set.of("get", "getLast").contains(Names.method(get)) && Names.target(get) != null
                && Names.simpleArgument(type(Names.target(get))).equals("ConsumerRecord");
        }
        return on != null && type(on).matches("(org\\.apache\\.kafka\\.clients\\.consumer\\.)?ConsumerRecord(<.*)?");
    }

    @Override
    public Void visitCatch(CatchTree c, Void none) {
        String caught = c.getParameter().getType().toString();
        boolean fatal = Arrays.stream(caught.split("\\|")).map(String::trim).allMatch(FATAL::contains);
        if (fatal && text.kafka("ProducerFencedException")) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
                    if (Names.method(call).equals("abortTransaction") && Names.target(call) != null) {
                        fact(call, "abort-after-fatal", "abortTransaction", caught);
                    }
                    return super.visitMethodInvocation(call, nothing);
                }
            }.scan(c.getBlock(), null);
        }
        return super.visitCatch(c, none);
    }

    /** A producer that is made in a method and never leaves it. */
    private void judge(String producer) {
        MethodUses uses = new MethodUses(getCurrentPath());
        uses.of(producer);
        if (!text.kafka("KafkaProducer") || !uses.own) {
            return;
        }
        boolean ends = uses.called("flush") || uses.called("close") || uses.called("commitTransaction") || uses.inTry || uses.endless;
        if (!ends && uses.sent != null) {
            fact(uses.sent, "missing-flush", "send", producer);
        }
        if (uses.called("beginTransaction") && !uses.called("initTransactions")) {
            fact(uses.calls.get("beginTransaction"), "no-init-transactions", "beginTransaction", producer);
        }
    }
}

/** What a method does with the producers that it makes. */
class MethodUses {
    private final TreePath method;
    final Map<String, Tree> calls = new HashMap<>();
    boolean own = true;
    boolean inTry;
    boolean endless;
    Tree sent; // the first send whose result is dropped

    MethodUses(TreePath method) {
        this.method = method;
    }

    List<String> producers() {
        List<String> names = new ArrayList<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitVariable(VariableTree v, Void none) {
                if (v.getInitializer() instanceof NewClassTree
                    && Names.simple(((NewClassTree) v.getInitializer()).getIdentifier()).equals("KafkaProducer")) {
                    names.add(v.getName().toString());
                }
                return super.visitVariable(v, none);
            }
        }.scan(((MethodTree) method.getLeaf()).getBody(), null);
        return names;
    }

    boolean called(String name) {
        return calls.containsKey(name);
    }

    void of(String producer) {
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree id, Void none) {
                if (id.getName().contentEquals(producer)) {
                    use(getCurrentPath());
                }
                return null;
            }

            @Override
            public Void visitTry(TryTree t, Void none) {
                for (Tree r : t.getResources()) {
                    inTry = inTry || r instanceof VariableTree && ((VariableTree) r).getName().contentEquals(producer)
                        || Names.variable(r).equals(producer);
                }
                return super.visitTry(t, none);
            }

            @Override
            public Void visitWhileLoop(WhileLoopTree w, Void none) {
                endless = endless || w.getCondition().toString().equals("(true)");
                return super.visitWhileLoop(w, none);
            }

            @Override
            public Void visitForLoop(ForLoopTree f, Void none) {
                endless = endless || f.getCondition() == null;
                return super.visitForLoop(f, none);
            }
        }.scan(method, null);
    }

    private void use(TreePath at) {
        Tree select = at.getParentPath().getLeaf();
        Tree call = select instanceof MemberSelectTree ? at.getParentPath().getParentPath().getLeaf() : null;
        if (!(call instanceof MethodInvocationTree)) {
            own = own && select instanceof TryTree;
            return;
        }
        String name = Names.method((MethodInvocationTree) call);
        calls.putIfAbsent(name, call);
        Tree around = at.getParentPath().getParentPath().getParentPath().getLeaf();
        boolean plain = ((MethodInvocationTree) call).getArguments().size() == 1 && around instanceof ExpressionStatementTree;
        if (name.equals("send") && plain && sent == null) {
            sent = call;
        }
    }
}
