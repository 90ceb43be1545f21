"""What tags, tokens of chat templates, and the names of roles look like."""

# ruff: noqa: RUF001  (brackets that look alike are meant)

from __future__ import annotations

import re

THINKS = re.compile(
    r"th(?:ink|ought)|reason|reflect(?!ed)|analys[ei]s?\b|scratch_?-?pad|ponder|contemplat|delib|rationale|monolog|"
    r"cogit|introspect|chain_of|denken|gedank|überleg|pens[ée]+|réflexion|raisonn|pensamiento|razona|raciocin|"
    r"мысл|рассужд|思考|思索|推理|思维|生각|考え",
    re.IGNORECASE,
)
INNER = re.compile(rf"{THINKS.pattern}|\binner", re.IGNORECASE)  # of a token
HTML = re.compile(
    r"a|abbr|article|b|big|blockquote|body|br|caption|center|cite|d[dlt]|del|div|em|font|footer|h[1-6r]|head|header|html|"
    r"i|img|ins|kbd|li|link|main|mark|meta|[ou]l|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|sup|"
    r"svg|table|t[dhrt]|tbody|tfoot|thead|title|u|var|wbr"
)
_OPENERS, _CLOSERS = "[({◁⟨〈《‹«【「『⟪❮", "])}▷⟩〉》›»】」』⟫❯"
_NAME = r"[^\W\d_][\w:.-]{0,60}"
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[^\s"'<>]{1,100})){0,8}"""
TAG = re.compile(
    r"<[|｜][ ]?(?P<token>/?[^<>|｜\n]{1,60}?)[ ]?[|｜]>"
    r"|<\|(?P<half>[a-z]\w{0,40})>|<(?P<half_closed>[a-z]\w{0,40})\|>"
    rf"|[<＜][ ]?(?P<end>/)?[ ]?(?P<name>{_NAME})"
    rf"(?P<attributes>{_ATTRIBUTES}|[ ][^<>＜＞\n]{{0,80}})[ ]?(?P<empty>/)?[>＞]"
    rf"|[{re.escape(_OPENERS)}]{{1,2}}(?P<end_2>[/\\])?(?P<name_2>{_NAME})[{re.escape(_CLOSERS)}]{{1,2}}",
    re.IGNORECASE,
)
PLAIN = re.compile(  # tokens without bars
    r"</?s>|</?(?:bos|eos|pad|eot|eod|sop|eop|unk)>|<(?:end|start)_of_turn>|<unused\d+>|\[/?INST\]|\[(?:EOS|BOS|gMASK)\]",
    re.IGNORECASE,
)
ENDS = re.compile(
    r"(?:end|eo)_?(?:of_?)?(?:turn|text|sentence|message|im|t_id|m_id|t|s|d)?(?:_token)?|im_end|return|/s"
)
ROLE = re.compile(
    r"(?:im_start|start|start_header_id|start_of_turn|turn|begin|role_start|im_user|im_assistant|im_system|"
    r"start_of_role)"
)
OTHERS = frozenset(("user", "system", "human", "tool", "observation", "developer", "ipython", "function"))
OWN = frozenset(("assistant", "model", "ai", "gpt", "bot"))
