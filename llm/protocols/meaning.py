"""What an error means that no shape fits: by what it says, for a new gateway words what all others say too.

It is asked after the shapes that were seen (`antemill.llm.protocols.outcomes`), and before the status alone. What it
does not understand stays what the status says; of a 4xx, then, the run finds out by evidence whose fault it is
(`antemill.tournament.runs.fault`). So a meaning is claimed only where the words leave little doubt.

    spend      no money: an account's balance, a limit of spending, an account on hold; a limit of requests is none
    context    the prompt is too long: it is named, with a measure of length, and a word for too much of that
    refusal    this prompt is declined: a policy, a filter or a matter of safety; a rule of an account is none
"""

from __future__ import annotations

import re
from collections.abc import Collection

from antemill.llm.entry import Outcome

_ACCOUNT = r"(?:account|organi[sz]ation|workspace|project|team|subscription|plan|wallet)"
_MONEY = r"(?:balance|credits?|funds|money|prepa(?:id|yment)|budget)"
_LITTLE = (
    r"(?:insufficient|not enough|too low|low|negative|exhausted|depleted|empty|run out|ran out|used up|no more|\bno)"
)

_SPENT = re.compile(
    rf"{_LITTLE}\W+(?:\w+\W+){{0,3}}{_MONEY}\b|\b{_MONEY}\W+(?:\w+\W+){{0,5}}{_LITTLE}"
    r"|\b(?:spend(?:ing)?|budget|billing|cost)[\W_]+(?:\w+\W+){0,3}?(?:limit|cap|budget|exceed\w*|reached|hit)"
    r"|\b(?:budget|spend)[\W_]*(?:is |was |has been |have been )?(?:exceeded|reached|exhausted)|exceeded \w+ budget"
    r"|\b(?:exceeds?|exceeded|reached|over)\W+(?:\w+\W+){0,3}(?:budget|spend)"
    r"|payment[\W_]+(?:is[\W_]+)?required|unpaid|past[\W_]due|overdue|arrears|delinquent|recharge|top[\W_]?up\b"
    r"|insufficient[\W_]+(?:user[\W_]+)?(?:quota|balance|funds|credit)|out of (?:credit|funds)"
    rf"|\b(?:exceeded|used|reached)\W+(?:\w+\W+){{0,4}}credits?\b"
    r"|余额|欠费|充值|账户.{0,6}(?:停用|冻结)|套餐.{0,8}(?:用尽|用完|到期)"
)
_HELD = re.compile(
    rf"\b{_ACCOUNT}\b\W+(?:\w+\W+){{0,6}}?(?:on[\W_]hold|suspended|deactivated|disabled|frozen|inactive|not active|"
    r"terminated|expired)\b"
)
_SPEND_NAMES = re.compile(
    r"spend\w*_limit|budget_exceeded|(?:budget|billing|credit|balance|payment|spend)\w*(?:limit|exceed|reach|exhaust|"
    r"required|insufficient|empty|low)|(?:insufficient|exceeded|exhausted|no)_\w*(?:balance|credit|fund|budget)|"
    r"exceeded_current_quota|account_(?:suspended|deactivated|on_hold|disabled|overdue)|arrear"
)
_SPEND_CODES = {"1113"}  # Zhipu: in arrears
_RATES = re.compile(
    r"rate[\W_-]?limit|per[\W_-](?:second|minute|min|hour|day|month)\b|\b(?:tpm|rpm|rpd|tpd|rps)\b|too[\W_]many|concurren|"
    r"quota exceeded|throttl|in[\W_-]flight|per_day|perday|slow down"
)
_SURE = re.compile(
    r"spend|budget|balance|arrears|billing|suspended|on[\W_]hold|deactivated|overdue|past[\W_]due|余额|欠费"
)

_PROMPT = r"\b(?:prompts?|inputs?|messages?|contexts?|conversation|sequence|requested tokens|requested token count)\b"
_SUBJECT = re.compile(
    rf"{_PROMPT}|context_?window|max_?model_?len|max_seq_len|n_ctx|提示|输入|上下文|prompt|requested tokens"
)
_LENGTH = re.compile(
    r"token|length|\blong|\blen\b|context|window|\bsize\b|characters|max_?model_?len|max_seq_len|n_ctx|长|上下文|字符"
)
_TOO_MUCH = re.compile(
    r"exceed|too (?:long|large|big|many)|longer|greater|larger|bigger|more than|maximum|\bmax|at most|<=|"
    r"(?:over|above|beyond|within) the|limit|reduce|shorten|shorter|truncate|less than|fewer|overflow|"
    r"does(?: not|n't) fit|"
    r"not fit|range of|should be (?:in|less)|超|过长|太长|上限"
)
_OTHER_MATTER = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unsupported|unexpected|extraneous|deprecated|missing|"
    r"not (?:supported|allowed|permitted|"
    r"recogni[sz]ed)|does not support|doesn't support|must be (?:one of|a valid|a string|an? integer|an? object)|"
    r"should be (?:a valid|one of))\b"
)
_OF_THE_ANSWER = re.compile(
    r"max_?(?:completion_?|output_?|new_?)?tokens|maxoutputtokens|completion tokens|output tokens|max_tokens"
)
_CONTEXT_NAMES = re.compile(
    r"context_?\w*(?:length|window|size|exceed|overflow)|exceed\w*context|prompt_?(?:is_?)?too_?(?:long|large)|"
    r"input_?(?:is_?)?too_?(?:long|large)|(?:prompt|input|token|context)\w*limit_?exceed|"
    r"max_?context|contextwindowexceeded"
)

_DECLINED = re.compile(
    r"flagged|moderat|content[\W_]+(?:policy|policies|filter|management)|"
    r"(?:usage|use|safety)[\W_]+(?:polic|guideline)|safety|unsafe|harmful|inappropriate|prohibited|guardrail|"
    r"sensitive (?:content|information|words)|content\W+(?:was\W+|is\W+)?blocked|"
    r"content exists risk|(?:blocked|rejected|refused|denied|declined|stopped|violat\w+)\W+(?:\w+\W+){0,6}?(?:polic|"
    r"guideline|filter|terms)|polic\w+\W+(?:\w+\W+){0,3}violat|敏感|违规|不安全|风险|审核"
)
_DECLINED_NAMES = re.compile(
    r"polic(?:y|ies)|moderation|content_?filter|safety|violation|flagged|guardrail|inspection|unsafe|"
    r"prohibited|harm|refus|"
    r"blocklist|sensitive"
)
_OF_THE_ACCOUNT = re.compile(
    rf"(?:data|privacy|retention|logging|routing|access|iam|network|retry|firewall|password|security|training)[\W_]+polic|"
    rf"\b{_ACCOUNT}(?:'s)?\W+(?:\w+\W+){{0,2}}?polic|polic\w+\W+(?:\w+\W+){{0,3}}?(?:your|the|this) {_ACCOUNT}|"
    rf"\b{_ACCOUNT}\b\W+(?:\w+\W+){{0,6}}?(?:flagged|suspended|disabled|banned|restricted|verif)|administrator|"
    r"no endpoints|safety_(?:settings?|identifier)|\bapi key\b"
)


def meant(status: int, names: Collection[str], message: str) -> Outcome | None:
    """What an error means, or None. names: how it calls itself; message: its text; both in lower case."""
    if status >= 500 and status not in (500, 501):
        return None
    called, whole = " ".join(sorted(names)), f"{' '.join(sorted(names))} {message}"
    if status == 429:
        return "spend" if _spent(called, message, whole) else None
    if status in (401, 407, 408, 409, 425, 499):
        return None
    if too_long(called, message):
        return "context"
    if status >= 500:
        return None
    if _spent(called, message, whole):
        return "spend"
    if _RATES.search(whole) and status in (400, 402, 403):
        return "rate"
    return "refusal" if _declined(status, called, message) else None


def _spent(called: str, message: str, whole: str) -> bool:
    """Whether there is no money; a limit of requests is not meant, though it can be bought off."""
    if not (
        _SPEND_CODES & set(called.split())
        or _SPEND_NAMES.search(called)
        or _SPENT.search(message)
        or _HELD.search(message)
    ):
        return False
    limits = _RATES.search(whole.replace("rate_limit_error", ""))
    return limits is None or (_SURE.search(whole) is not None and "billing details" not in message)


def too_long(called: str, message: str) -> bool:
    """Whether the prompt is too long for the model. called: the error's names in one text."""
    if _CONTEXT_NAMES.search(called) or _CONTEXT_NAMES.search(message):
        return True
    if _RATES.search(message) and not re.search(r"context|prompt|input", message):
        return False
    if re.search(r"per[\W_](?:second|minute|hour|day)|\((?:tpm|rpm)\)", message) or _OTHER_MATTER.search(message):
        return False
    rest = _OF_THE_ANSWER.sub(" ", message)  # a limit of the answer alone is a mistake of the entry
    return all(part.search(rest) for part in (_SUBJECT, _LENGTH)) and _TOO_MUCH.search(message) is not None


def _declined(status: int, called: str, message: str) -> bool:
    """Whether this prompt is declined. A mistake in the request that names a matter of safety is none."""
    if status not in (400, 403, 406, 422, 451) or _OF_THE_ACCOUNT.search(message) or _OTHER_MATTER.search(message):
        return False
    return bool(_DECLINED_NAMES.search(called) or _DECLINED.search(message))


_DAILY = re.compile(
    r"per[\W_-]?day|\bdaily\b|\btoday\b|\b(?:rpd|tpd)\b|24[\W_]?h(?:ours?)?\b|per[\W_-]?(?:month|week)|monthly|weekly"
)


def lasting(names: Collection[str], message: str) -> bool:
    """Whether a limit of requests is one for a day or longer: asking again in a minute is in vain."""
    return _DAILY.search(f"{' '.join(names)} {message}".lower()) is not None
