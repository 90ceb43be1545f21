"""Reads the meaning of an error from its words, if no recorded shape fits it.

The recorded shapes come first (`antemill.llm.protocols.outcomes`), then this module, then the status alone. This module
returns a meaning only if the words leave little doubt. For any other 4xx, the run decides by evidence whether the item
or the model is at fault (`antemill.tournament.runs.fault`).

    spend      the account has no money: an empty balance, a spending limit, an account on hold, a quota for a month
    context    the prompt is too long: the text names the prompt, a measure of length, and a word for too much; or two
               counts of which the first is larger; or a request asks for more tokens than a limit allows in total
    rate       a limit of requests or tokens; a limit for a day or a week is `lasting`
    login      a key that is wrong, expired or missing
    refusal    this prompt is declined: by a policy, a filter, or for safety; rules of an account do not count
    server     a temporary failure, reported with a 4xx: the text asks for another attempt

Words of other languages are included where models and gateways are known to answer in them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from antemill.llm.entry import Outcome

_ACCOUNT = r"(?:account|organi[sz]ation|workspace|project|team|subscription|plan|wallet)"
_MONEY = (
    r"(?:balance|wallet|credits?|funds|money|prepa(?:id|yment)|budget|grant|bundle|coins|"
    r"\d+(?:\.\d+)? ?(?:usd|eur|dollars))"
)
_LITTLE = (
    r"(?:insufficient|not enough|too low|low|negative|exhausted|depleted|empty|run out|ran out|used up|"
    r"no more|below zero|used in full|consumed|gone|\bno)"
)

_SPENT = re.compile(
    rf"{_LITTLE}\W+(?:\w+\W+){{0,3}}{_MONEY}\b|\b{_MONEY}\W+(?:\w+\W+){{0,5}}{_LITTLE}"
    r"|(?:link|add|register) (?:a|your) (?:credit |debit )?card\b"
    r"|\bbuy\W+(?:\w+\W+){0,3}(?:bundle|package|pack|tokens)"
    r"|\b(?:spend(?:ing)?|budget|billing|cost)[\W_]+(?:\w+\W+){0,3}?(?:limit|cap|ceiling|threshold|allowance|"
    r"budget|exceed\w*|reached|hit)"
    r"|\b(?:budget|spend)[\W_]*(?:is |was |has been |have been )?(?:exceeded|reached|exhausted)|exceeded \w+ budget"
    r"|\b(?:exceeds?|exceeded|reached|over)\W+(?:\w+\W+){0,3}(?:budget|spend)"
    r"|payment[\W_]+(?:is[\W_]+)?required|unpaid|past[\W_]due|overdue|arrears|\byou owe\b|payment failed|"
    r"delinquent|recharge|top[\W_]?up\b"
    r"|insufficient[\W_]+(?:user[\W_]+)?(?:quota|balance|funds|credit)|out of (?:credit|funds)"
    rf"|\b(?:exceeded|used|reached)\W+(?:\w+\W+){{0,4}}credits?\b"
    r"|billing\W+(?:\w+\W+){0,3}(?:enabled|set up|active)|extra usage|balance is \$?0|(?:purchase|"
    r"buy)\W+(?:\w+\W+){0,2}credits|non-?payment|card was declined|no active (?:subscription|plan)|"
    r"payment method|billing (?:information|info)\b|\btrial\W+(?:\w+\W+){0,3}(?:ended|expired|over)\b|"
    r"upgrade\W+(?:\w+\W+){0,5}to continue|"
    r"max_?budget\W+(?:reached|exceeded|hit)"
    r"|\bfree (?:tier|quota|trial|allowance)\W+(?:\w+\W+){0,5}(?:exhausted|used up|ended|expired|over)\b"
    r"|余额|欠费|充值|账户.{0,6}(?:停用|冻结)|套餐.{0,8}(?:用尽|用完|到期)|残高|잔액"
    r"|\b(?:guthaben|crédit|solde|saldo|crédito|баланс|средств|кредит)\w*\W+(?:\w+\W+){0,4}"
    r"(?:erschöpft|aufgebraucht|reicht|épuisé|insuffisant|agotado|insuficiente|esgotado|esaurito|исчерпан|недостаточ)"
    r"|\b(?:solde|saldo|crédito|недостаточно)\W+(?:\w+\W+){0,2}(?:insuffisant|insuficiente|insufficiente|средств)"
)
_HELD = re.compile(
    rf"\b{_ACCOUNT}\b\W+(?:\w+\W+){{0,6}}?(?:on[\W_]hold|suspended|deactivated|disabled|frozen|inactive|not active|"
    r"terminated|expired)\b"
)
_SPEND_NAMES = re.compile(
    r"spend\w*_(?:limit|cap)|budget_exceeded|(?:budget|billing|credit|balance|payment|spend)\w*(?:limit|"
    r"exceed|reach|exhaust|"
    r"required|insufficient|empty|low)|(?:insufficient|exceeded|exhausted|no)_\w*(?:balance|credit|fund|budget)|"
    r"exceeded_current_quota|account_(?:suspended|deactivated|on_hold|disabled|overdue)|arrear"
)
_SPEND_CODES = {"1113"}  # Zhipu: in arrears
_RATES = re.compile(
    r"\brates?[\W_-]+(?:\w+\W+)?exceed|rate[\W_-]?limit|\b(?:request|call|usage)s?[\W_]+limit|"
    r"per[\W_-](?:second|minute|min|hour|day|month)\b|"
    r"\b(?:tpm|rpm|rpd|tpd|rps)\b|too[\W_]many[\W_]+(?:\w+[\W_]+)?(?:requests|calls|tokens|connections|queries|"
    r"prompts)\b|concurren|"
    r"quota exceeded|exceeded\W+(?:\w+\W+){0,3}quota|quota\W+(?:\w+\W+){0,2}(?:replenish|renew|reset)|"
    r"throttl|in[\W_-]flight|simultaneous|too fast|too busy|\bparallel (?:calls|requests)|again in \d+ ?s|"
    r"quota (?:is |was |has been )?(?:finished|exhausted|used|reached)|\bburst\b|\d (?:requests?|"
    r"calls) ?(?:/|every|in|within) ?\d|"
    r"per_day|perday|slow down"
)
_SURE = re.compile(
    r"spend|budget|balance|arrears|billing|suspended|on[\W_]hold|deactivated|overdue|past[\W_]due|余额|欠费"
)

_PROMPT = (
    r"\b(?:prompts?|inputs?|messages?|contexts?|conversation|history|texte|sequence|num_tokens|query|document|text|"
    r"requested tokens|requested token count|"
    r"(?:requests?|tokens)(?= (?:body |size )?(?:exceed|too large|(?:is|are) (?:too|longer|larger)))|"
    r"eingabe|anfrage|nachricht(?:en)?|kontext\w*|requête|entrée|contexte|entrada|solicitud|petición|contexto|"
    r"richiesta|contesto|запрос\w*|ввод\w*|контекст\w*)\b"
)
_SUBJECT = re.compile(
    rf"{_PROMPT}|context_?window|max_?model_?len|max_seq_len|n_ctx|提示|输入|上下文|プロンプト|入力|コンテキスト|프롬프트|입력|컨텍스트|prompt|"
    rf"requested tokens"
)
_LENGTH = re.compile(
    r"\d{3,}\s*[/>]\s*\d{3,}|\btok\b|\bn_(?:prompt|past|u?batch)\b|\btoo much text|position|memory|token|"
    r"length|\blong|\blen\b|context|window|\bsize\b|"
    r"characters|\bchars\b|too large for (?:the |this )?model|max_?model_?len|max_seq_len|n_ctx|长|上下文|字符|"
    r"länge|kontext|\blang|jeton|longue|contexte|longitud|contexto|comprimento|lunghezza|contesto|токен|длин|контекст|"
    r"トークン|長|コンテキスト|토큰|길이|컨텍스트"
)
_TOO_MUCH = re.compile(
    r"exceed|too (?:long|large|big|many)|longer|greater|larger|bigger|more than|maximum|\bmax|at most|<=|"
    r"(?:over|above|beyond|within) (?:the|our|its|this)|too much|limit|reduce|shorten|shorter|truncate|"
    r"less than|fewer|overflow|oversize|"
    r"exhaust|goes past|"
    r"do(?:es)?(?: not|n't) fit|"
    r"not fit|range of|should be (?:in|less)|超|过长|太长|上限|長すぎ|초과|너무|"
    r"länger|größer|zu (?:lang|groß)|überschr|dépass|trop (?:long|grand)|maximal|exced|supera|demasiado|muito|troppo|"
    r"máxim|massim|превы|слишком|длиннее"
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
    r"max_?context|contextwindowexceeded|(?:prompt|input|context)_length"
)

_DECLINED = re.compile(
    r"flagged|moderat|content[\W_]+(?:policy|policies|filter|management)|"
    r"(?:usage|use|safety)[\W_]+(?:polic|guideline)|safety|unsafe|harmful|inappropriate|prohibited|guardrail|"
    r"sensitive (?:content|information|words)|"
    r"content exists risk|nsfw|(?:prompts?|inputs?|content|messages?|text)\W+(?:\w+\W+){0,2}?(?:blocked|not allowed)\b|"
    r"(?:prompts?|inputs?|content|messages?)\W+(?:\w+\W+){0,2}?"
    r"(?:rejected|refused|declined)\W+(?:\w+\W+){0,3}?(?:rule|categor|shield|guard)|"
    r"(?:blocked|rejected|refused|denied|declined|stopped|violat\w+)\W+(?:\w+\W+){0,6}?(?:polic|"
    r"guideline|filter|terms)|polic\w+\W+(?:\w+\W+){0,3}violat|敏感|违规|违反|不安全|风险|审核|违禁|拦截|"
    r"ポリシー|정책|(?:blockiert|gesperrt|abgelehnt|verst|bloqu|rechaz|enfrein|viol|blocc|rifiut|заблокир|отклон|наруш)\w*"
    r"\W+(?:\w+\W+){0,6}?(?:richtlinie|polit|polít|règle|правил|фильтр|filtr|filter|conditions|termes|bedingung)|"
    r"(?:richtlinie|polit|polít|règle|правил)\w*\W+(?:\w+\W+){0,4}?(?:blockiert|abgelehnt|verletz|наруш)"
)
_MATTERS = (
    r"(?:toxic\w*|jailbreak\w*|(?:bio|cyber)\w*|misuse|abus\w*|violen\w*|sexual\w*|hate\w*|self[\W_]?harm|"
    r"weapon\w*|terror\w*|"
    r"gambl\w*|injection|pii|personal (?:data|information)|drugs?|illegal|malicious|content|topic|use policy)"
)
_NOT_ANSWERED = (
    r"(?:detected|found|forbidden|triggered|declined|blocked|flagged|restrict\w*|refused|rejected|denied|"
    r"not (?:permitted|allowed)|threshold exceeded|"
    r"violat\w*)"
)
_HARM = re.compile(
    rf"\b{_MATTERS}\W+(?:\w+\W+){{0,4}}?{_NOT_ANSWERED}|"
    rf"{_NOT_ANSWERED}\W+(?:\w+\W+){{0,6}}?{_MATTERS}\b(?!\W*(?:type|length|encoding))"
    r"|\b(?:rejected|refused|declined|blocked) (?:the|your|this) (?:prompts?|input|messages?)\b"
)
_DECLINED_NAMES = re.compile(
    r"polic(?:y|ies)|moderation|jailbreak|misuse|restricted_(?:topic|content)|pii_|content_?filter|safety|"
    r"violation|flagged|guardrail|inspection|unsafe|"
    r"prohibited|harm|refus|"
    r"blocklist|sensitive"
)
_OF_THE_ACCOUNT = re.compile(
    rf"(?:data|privacy|retention|logging|cors|routing|access|iam|network|retry|firewall|password|security|"
    rf"training)[\W_]+polic|"
    rf"\b{_ACCOUNT}(?:'s)?\W+(?:\w+\W+){{0,2}}?polic|polic\w+\W+(?:\w+\W+){{0,3}}?(?:your|the|this) {_ACCOUNT}|"
    rf"\b{_ACCOUNT}\b\W+(?:\w+\W+){{0,6}}?(?:flagged|suspended|disabled|banned|restricted|verif)|administrator|"
    r"no endpoints|safety_(?:settings?|identifier)|\bapi key\b"
)


def meant(status: int, names: Collection[str], message: str) -> Outcome | None:
    """The meaning of an error, or None. names: its code, type and the like. message: its text. Both in lower case."""
    if status >= 500 and status not in (500, 501):
        return None
    called, whole = " ".join(sorted(names)), f"{' '.join(sorted(names))} {message}"
    if never_fits(status, message):
        return "context"
    if status == 429:
        if _MONTHLY.search(whole) or _spent(called, message, whole):
            return "spend"
        return "login" if _bad_key(called, message) and not _RATES.search(message) else None
    if status in (401, 407, 408, 409, 425, 499):
        return None
    if too_long(called, message):
        return "context"
    if _spent(called, message, whole):
        return "spend"
    if _bad_key(called, message):
        return "login"
    if status >= 500:
        passing = _PASSING.search(message) or _RATES.search(whole)
        return "refusal" if not passing and _declined(status, called, message) else None
    if _RATES.search(whole) and status in (400, 402, 403):
        return "spend" if _MONTHLY.search(whole) else "rate"
    if _PASSING.search(message) and not _AGAIN_OTHERWISE.search(message):
        return "server"
    return "refusal" if _declined(status, called, message) else None


def _spent(called: str, message: str, whole: str) -> bool:
    """Whether the account has no money. A limit of requests does not count, even if it can be raised by paying."""
    if re.search(r"budget_tokens|(?:thinking|reasoning|token|context)[\W_]+budget", message):
        return False
    if not (
        _SPEND_CODES & set(called.split())
        or _SPEND_NAMES.search(called)
        or _SPENT.search(message)
        or _HELD.search(message)
    ):
        return False
    limits = _RATES.search(whole.replace("rate_limit_error", ""))
    return limits is None or (_SURE.search(whole) is not None and "billing details" not in message)


_KEY = (
    r"(?:\b(?:api|access|secret|bearer|auth|authentication|authorization|security)[\W_]*(?:keys?|tokens?)\b|"
    r"\bcredentials?\b|\bauthorization header|\b(?:your|this|the) key\b|\bauthenticat\w+|鉴权|身份验证|密钥)"
)
_BAD = (
    r"(?:invalid|incorrect|not valid|not a valid|expired|missing|revoked|disabled|wrong|unknown|not found|"
    r"fail(?:s|ed|ure)|"
    r"no such|not exist|inactive|deleted|malformed|rejected|denied|no longer|无效|失败|过期|错误)"
)
_BAD_KEY = re.compile(rf"{_KEY}[^.!?\n]{{0,40}}{_BAD}|{_BAD}[^.!?\n]{{0,25}}{_KEY}|\b(?:un|not )authenticated\b")
_BAD_KEY_NAMES = re.compile(
    r"(?:invalid|incorrect|expired|missing|revoked|disabled|bad)_?(?:api|access|auth\w*|bearer)?_?(?:key|"
    r"token|credential)|"
    r"(?:api|access|auth|bearer)_?(?:key|token)_?(?:\w+_)?(?:invalid|expired|missing|revoked|disabled)|"
    r"authentication_?(?:error|fail)|unauthenticated|unauthorized"
)


def _bad_key(called: str, message: str) -> bool:
    """Whether the key is at fault. An error about a prompt that contains a key does not count."""
    if re.search(r"prompt|input|content|message", message):
        return False
    return bool(_BAD_KEY_NAMES.search(called) or _BAD_KEY.search(message))


def too_long(called: str, message: str) -> bool:
    """Whether the prompt is too long for the model. called: the error's names as one text."""
    if _CONTEXT_NAMES.search(called) or _CONTEXT_NAMES.search(message):
        return True
    if _RATES.search(message) and not re.search(r"context|prompt|input", message):
        return False
    if re.search(r"per[\W_](?:second|minute|hour|day)|\((?:tpm|rpm)\)", message) or _OTHER_MATTER.search(message):
        return False
    if re.search(r"context (?:deadline|cancel)|metadata|identifier|\bheaders?\b", message):
        return False  # Go's "context" is a deadline, and metadata is not a prompt
    if _SHORTEN.search(message):
        return True
    rest = _OF_THE_ANSWER.sub(" ", message)  # a limit of the answer only is a mistake in the entry
    if not _LENGTH.search(rest):
        return False
    if _SUBJECT.search(rest) and (_TOO_MUCH.search(message) or _more_than(rest)):
        return True
    return _ACCEPTS.search(message) is not None and _more_than(rest) and _OF_THE_ANSWER.search(message) is None


_SHORTEN = re.compile(
    r"\b(?:shorten|reduce|trim)\W+(?:the length of\W+)?(?:your|the)\W+(?:prompt|input|messages|context)\b"
)
_ACCEPTS = re.compile(r"\b(?:accepts?|allows?|allowed|supports?|handles?|limit|capacity|window|fits?)\b")


def _more_than(text: str) -> bool:
    """Whether a text gives two counts, of which the first (of the tokens sent) is the larger."""
    counts = [
        int(found.replace(",", "")) for found in re.findall(r"(?<![\w.,])\d{1,3}(?:,\d{3})+|(?<![\w.,])\d{3,9}", text)
    ]
    return len(counts) >= 2 and counts[0] > counts[1] >= 256


_REQUESTED = re.compile(r"\blimit:?\s*(\d[\d,]*)\b[^\d]{1,40}\brequested:?\s*(\d[\d,]*)\b")


def never_fits(status: int, message: str) -> bool:
    """Whether a single request asks for more tokens than a limit allows in a minute, so that waiting does not help."""
    found = _REQUESTED.search(message) if status in (413, 429) else None
    return found is not None and int(found[2].replace(",", "")) > int(found[1].replace(",", ""))


_PASSING = re.compile(
    r"(?:unexpected|internal)\W+(?:\w+\W+)?error|temporar|try (?:again|your request again) (?:later|shortly|soon)|"
    r"try your request again"
)
_AGAIN_OTHERWISE = re.compile(r"(?:different|another|shorter|smaller|adjust|modif|chang|rephras)")


def _declined(status: int, called: str, message: str) -> bool:
    """Whether this prompt is declined. A mistake in the request that mentions a safety setting does not count."""
    if status in (404, 405, 413, 415, 424, 426, 428, 431) or _OF_THE_ACCOUNT.search(message):
        return False
    if _HARM.search(message):
        return True
    if _OTHER_MATTER.search(message):
        return False
    return bool(_DECLINED_NAMES.search(called) or _DECLINED.search(message))


_MONTHLY = re.compile(r"(?:per|/)[\W_-]?month|\bmonthly\b|(?:for|of|this) (?:the|this )?month\b")
_DAILY = re.compile(
    r"(?:per|by|/)[\W_-]?(?:day|week)|\b(?:dai|week)ly\b|\btoday\b|\btomorrow\b|\ba day\b|\b(?:rpd|tpd)\b|"
    r"24[\W_]?h(?:ours?)?\b|86,?400|\b(?:1d|24h)\b|"
    r"replenished in \d|täglich|tages|pro tag|par jour|quotidien|journali|diari[oa]\b|diári[oa]|por día|por dia|"
    r"giornalier|"
    r"дневн|суточн|в день|每日|每天|当日|今日|1日|一日|일일|하루"
)


def lasting(names: Collection[str], message: str) -> bool:
    """Whether a limit of requests is for a day or longer, so that another attempt in a minute is useless."""
    return _DAILY.search(f"{' '.join(names)} {message}".lower()) is not None
