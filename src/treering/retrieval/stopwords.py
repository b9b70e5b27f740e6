"""English words that a query can do without: they say how it asks, not what about."""

_NAMING = """
    a an the this that these those such same other another
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself
    they them their theirs themselves one ones someone somebody something
    anyone anybody anything everyone everybody everything nobody nothing none
    each every either neither both all any some few several many much more most
    less least lot lots enough own
"""
_ASKING = """
    what what's whats which who who's whom whose when where why how whether
    whatever whichever whoever whenever wherever however
    tell know mention mentioned please question answer kind kinds sort sorts type types
    according regarding concerning
"""
_AUXILIARIES = """
    am is are was were be been being isn't aren't wasn't weren't
    do does did done doing don't doesn't didn't
    have has had having haven't hasn't hadn't
    can can't cannot could couldn't may might must mustn't shall shan't should shouldn't
    will won't would wouldn't ought need needn't
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll
    it's it'd it'll we're we've we'd we'll they're they've they'd they'll
    that's that'll there's there'd here's where's when's why's how's let's
    get gets got gotten getting go goes going gone went come comes came
    make makes made let lets say says said seem seems seemed become becomes became
"""
_RELATIONS = """
    about above across after against along among amongst around as at before behind below
    beneath beside besides between beyond but by despite down during except for from in
    inside into like near of off on onto out outside over past per since than through
    throughout till to toward towards under until unto up upon via with within without
    and or nor so yet if unless because although though while whereas
"""
_MANNER = """
    not no yes again almost already also always anyway away back else ever even far
    further here hence indeed instead just later maybe meanwhile moreover mostly
    namely never nevertheless next now often once only otherwise perhaps quite
    rather really recently still then there thereby therefore thus together too very
    usually well
"""

STOP_WORDS = frozenset(f"{_NAMING} {_ASKING} {_AUXILIARIES} {_RELATIONS} {_MANNER}".split())
