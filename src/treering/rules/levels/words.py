"""The word lists of the English rules, folded; each says what its words do to a statement."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


UNITS = word_set(
    """
    ns us ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days
    week weeks month months year years b kb mb gb tb kib mib gib bytes bits k m bn px em rem pt
    fps hz khz mhz ghz st nd rd th am pm x % percent tokens characters chars lines rows items
    requests retries attempts users seats cores times points cm mm km kg g eur usd gbp euros
    dollars pounds yen
    """
)
"""What a number counts: `30 seconds`, `1st`, `5pm`, `100MB`."""

BRANDS = word_set(
    """
    GitHub GitLab JavaScript TypeScript PostgreSQL MySQL NoSQL SQLite YouTube LinkedIn OpenAI
    iPhone iPad iOS macOS PayPal eBay WhatsApp GraphQL MongoDB DynamoDB DevOps JetBrains
    IntelliJ WebSocket WebSockets PyTorch TensorFlow NumPy FastAPI DuckDuckGo McDonald LaTeX
    OAuth PhD MariaDB RabbitMQ CircleCI DigitalOcean CloudFlare HubSpot WordPress CoffeeScript
    LangChain OpenShift VMware YAMLs WiFi SaaS PaaS IaaS eMail BitBucket DocuSign FaceTime
    """
)
"""Names that are written like camelCase and name nothing in particular."""

LINK_WORDS = word_set(
    """
    a an the of to in on by and or at up out for is so non over under down off as with from one
    day side step state
    """
)
"""Words that make an English compound (`state-of-the-art`) of what looks like kebab-case."""

NEGATIONS = word_set(
    """
    not no never none nobody nothing nowhere neither nor without cannot nt dont doesnt didnt
    isnt arent wasnt werent wont cant mustnt shouldnt avoid avoids nicht kein keine keinen
    keinem keiner keines nie niemals ohne pas ne jamais sans aucun aucune nunca jamás sin ni non
    mai senza niet geen nooit não sem inte ikke ei не нет никогда без
    """
)
"""They turn a statement round; the other languages' so that no merge loses them."""

LIMITS = word_set(
    """
    if when whenever while unless until till except excluding besides only but instead otherwise
    or either maybe perhaps sometimes rarely seldom hardly barely usually mostly almost often
    was were used formerly previously old new former temporarily deprecated disabled optional
    optionally might may could would will fails stopped first second last always must should
    production prod staging stage development dev test testing qa preview canary sandbox local
    locally forbidden prohibited disallowed banned forbid forbids prohibit prohibits disallow
    disallows ban bans denied deny denies blocked refused rejected excluded unsupported illegal
    impossible false untrue invalid allowed permitted refuse refuses fail cease stop stops
    dislike dislikes hate hates pretend quit far rather wrong myth rumour
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred hundreds thousand thousands million millions billion billions dozen dozens half
    third fourth fifth sixth seventh eighth ninth tenth single double triple thrice twice once
    wenn nur außer bis si sauf seulement jusqu
    """
)
"""Qualifiers that narrow, date or weaken a statement: with them it is another statement."""

PAST = word_set(
    """
    was were used until till formerly previously old former had longer anymore ago before past
    earlier originally historically once
    """
)
"""What a statement says of the past contradicts nothing of today."""

HEDGES = word_set(
    """
    maybe perhaps might may could would will shall going plan plans planned soon sometimes
    usually often mostly either or also too another other others one some e.g example like if
    when unless except only eventually later tomorrow next temporarily probably likely about
    """
)
"""With these a statement leaves room for another beside it."""

NEUTRAL = word_set(
    """
    a an the is are am be been being actually now currently today again really just please also
    that remember note fyi btw so and well ok okay anyway sorry no our this time from on
    """
)
"""Words without weight when two statements are compared for conflict."""

PRONOUNS = word_set(
    """
    it its this that these those they them he she there here which what who everything something
    it's that's there's here's they're he's she's
    """
)
"""A statement that begins with one lost its subject to the sentence before."""

TROUBLE = word_set(
    """
    bug bugs error errors issue issues problem problems typo exception failure crash warning
    broken missing failing fails failed wrong stuck slow flaky crashing red down unavailable
    """
)
"""What is said with these is the state of the moment, not a fact to keep."""

TASK_VERBS = word_set(
    """
    fix add open check look read fetch review run write create make implement refactor rename
    remove delete update upgrade change replace summarize summarise explain show tell give find
    search list print help try clone install build generate translate compare analyse analyze go
    click visit download let let's lets start stop continue paste copy put move convert debug
    investigate test rewrite can could would will suppose assume imagine say consider
    """
)
"""An imperative that begins with one gives a task, and states nothing."""

GENERIC = word_set(
    """
    here are is some a few the of our my your we us i s as about facts notes things rules rule
    conventions convention guidelines requirements preferences standards policies policy
    instructions reminders points general important must know basics fyi following follows below
    and also please keep in mind note remember to project setup these this info information details
    for you list background context update updates overview summary todo other misc memory memories
    hi hello hey all everyone folks thanks thank ok okay quick what
    """
)
"""A heading or a lead-in of these alone says nothing of what stands under it."""

SCOPES = word_set(
    """
    production prod staging stage development dev test testing qa preview canary sandbox local
    locally only except
    """
)
"""Where or when alone something holds; a title that names one qualifies what stands under it."""

OPENINGS = word_set(
    """
    in on for at during from after before with under within inside outside when whenever while if
    unless until except only
    """
)
"""A short line that opens with one and has no final punctuation says when the next one holds."""
