"""The words of `letter`: phrases that claim an answer, in the languages in which models answer.

Each constant is the content of a regular expression's group; letter case does not count.
"""

# ruff: noqa: RUF001  (the letters of other languages are meant)

from __future__ import annotations

FINAL = r"(?:(?:my|the)\s+)?final[\s_-]+"
# After the noun, as in most languages.
ADJECTIVES = (
    r"correct[aeo]?|corrett[ao]|corret[ao]|corecta?|richtig|juste|bonne|giusta|certa|final[ea]?|définitive|"
    r"finala|đúng|cuối cùng|"
    r"الصحيحة|الصحيح|النهائية|درست|הנכונה|yang benar|yang tepat"
)

# Nouns that a letter may follow directly, as in a heading.
ANSWERS = (
    r"answer|ans\.?|(?<=\")letter(?=\")|final|antwort|lösung|loesung|réponse|reponse|respuesta|risposta|resposta|antwoord|odpowiedź|"
    r"odpowiedz|"
    r"odpověď|odpoveď|odgovor|ответ|відповідь|отговор|адказ|cevap|cevabı|yanıt|svaret|svar|vastaus|válasz|"
    r"răspuns|răspunsul|"
    r"απάντηση|jawaban|jawabannya|đáp án|câu trả lời|الإجابة|الجواب|إجابة|الاجابة|اجابة|پاسخ|جواب|תשובה|התשובה|"
    r"उत्तर|जवाब|"
    r"উত্তর|คำตอบ|答案|答え|正解|回答|解答|答|正确选项|正确答案|正確答案|정답|답변|답|jibu|sagot"
)
# Nouns that a letter follows only after a verb or a sign: "option C" is a mention.
OPTIONS = (
    r"option|choice|closest(?: one)?|nearest|best match|solution|selection|pick|verdict|conclusion|guess|vote|response|"
    r"(?:correct|right|matching|corresponding|answer|option|best|final|my)(?:'s)?\s+letter|correct\s+one|right\s+one|"
    r"opción|opcion|opção|opcao|opzione|wahl|choix|вариант|вариантом|选项|選項|選択肢|보기|pilihan|seçenek|alternativa|"
    r"alternative|correct|right one|only one|la correcta|a correta|la corretta"
)
COPULAS = (
    r"is|must be|should be|has to be|will be|would be|needs to be|being|remains|equals|comes out as|"
    r"ist|lautet|wäre|est|serait|es|sería|è|é|seria|jest|brzmi|to|je|это|-\s*это|є|е|adalah|ialah|là|هي|هو|"
    r"είναι|היא|הוא|"
    r"है|হল|হলো|คือ|är|er|blir|on|este|ay|ni"
)
JOINED = r"应该是|應該是|应为|是|为|為|选择|选|選|は|が|은|는|이"  # no space around them
FILLERS = (
    r"the|option|choice|letter|answer|number|indeed|therefore|thus|hence|clearly|definitely|obviously|simply|certainly|"
    r"surely|most|likely|probably|actually|again|still|in fact|i think|i believe|i'd say|then|just|only|indeed|"
    r"undoubtedly|necessarily|of course|also|with|correct|right|one|labell?ed|"
    r"a\s+(?:letra|opção|opcao|alternativa)|die|der|das|buchstabe|la|le|el|l'|lettre|letra|lettera|opción|opcion|opção|opcao|opzione|optie|opcja|možnost|"
    r"вариант|буква|под буквой|pilihan|seçenek|varianta|alternativ|alternativet|vaihtoehto|الخيار|گزینه"
)
FILLERS_JOINED = r"选项|選項|選択肢|보기|第"
CHOOSE = (
    r"(?:(?:i|we|let's|let us|let me)(?:\s*(?:am|'m|'ll|will|would|'d|must|should|have to|shall|are|'re|can))?\s+"
    r"(?:\w+ly\s+)?(?:choos(?:e|ing)|pick(?:ing)?|select(?:ing)?|go(?:ing)? (?:with|for)|vot(?:e|ing) for|"
    r"answer(?:ing)?|"
    r"say(?:ing)?|opt(?:ing)? for|settl(?:e|ing) on|stick(?:ing)? with|lock(?:ing)? in|conclude|guess|submit|bet on|"
    r"choose to go with)(?:\s+(?:that\s+)?(?:it's|it is|with))?"
    r"|(?:you should|please|i'd) (?:choose|pick|select|go with|answer)"
    r"|(?:choose|pick|select|go with|going with|choosing|selecting|picking|lock in|locking in)"
    r"|(?:richtig|korrekt) ist(?: also| daher| somit)?(?: antwort| antwortmöglichkeit)?"
    r"|ich (?:wähle|nehme)|je (?:choisis|réponds)|(?:yo )?(?:elijo|escojo|selecciono)|(?:io )?scelgo|(?:eu )?escolho|"
    r"я выбираю|выбираю|wybieram|ik kies)"
)
CHOOSE_JOINED = r"(?<!不)(?<!没)(?:选择|選擇|选|選)|私は"
CORRECT = (
    r"(?:is|must be|has to be|would be|is indeed|is clearly|is definitely|is therefore|is thus)\s+"
    r"(?:the\s+|my\s+)?(?:only\s+)?(?:(?:correct|right|best|valid|final)(?:\s+(?:answer|option|choice|one|"
    r"letter|output|match))?"
    r"|answer|one that is correct)"
    r"|(?:ist|wäre)\s+(?:die\s+)?(?:richtige?|korrekte?)(?:\s+antwort)?|"
    r"es\s+(?:la\s+)?(?:respuesta\s+)?(?:correcta|correcto)"
    r"|est\s+(?:la\s+)?(?:bonne(?:\s+réponse)?|réponse|correcte?|juste)|"
    r"è\s+(?:la\s+)?(?:risposta\s+)?(?:corretta|giusta)"
    r"|é\s+(?:a\s+)?(?:resposta\s+)?(?:correta|certa)|jest\s+(?:poprawna|prawidłowa)|(?:项|項)?(?:是|为)?(?:正确|正確)的?|が正解"
)
CONCLUDED = (
    r"(?:so|thus|hence|therefore|ergo|consequently|accordingly|yes|donc|daher|por tanto|portanto|quindi|"
    r"因此|所以|よって)"
    r"(?:,|:)?(?:\s+(?:it's|it is|that's|that is|it must be|must be|i'd say|i think|probably))?"
    r"|(?:it|that|this)\s*(?:'s|\s+is|\s+(?:must|should) be|\s+has (?:got )?to be|\s+gotta be)(?:\s+(?:clearly|"
    r"definitely))?"
    r"|(?:it|that)\s+(?:definitely|clearly|certainly)\s+is"
    r"|(?:(?:that|this|which|it|result|output)\s+)?(?:corresponds?|points?|leads?) to|(?:corresponding|pointing|"
    r"leading) to|(?:chang|switch|mov|updat|revis|correct)\w*\s[^.\n]{0,30}?\bfrom\s+[*_(]*[A-J][*_)]*\s+to"
    r"|(?:which|that|this|it|result|output)\s+(?:is|matches|equals|agrees with|gives)\s+[*_(]*(?:option|choice|answer)"
    r"|matches|consistent with"
    r"|leaving(?: us)?(?: with)?(?: only)?|leaves(?: us)?(?: with)?(?: only)?|i think|i'd say|i would say|i'm thinking|"
    r"i believe|i guess|looks like|conclusion:|verdict:|in short:|in summary:|in the end,?|c'est|das ist|es ist"
    r"|definitely|certainly|probably|most likely|surely|hmm+,?|in conclusion,?|leaning towards?|inclined to say|"
    r"[,;:=—(]\s*(?:i\.e\.,?\s*|that is,?\s*|namely\s*)?(?:option|answer)|(?:outputs?|results?|prints?)(?: is|"
    r":)? option|(?:given|listed|found|shown)\s+(?:by|as|in|under)\s+option"
)
# Of "not A, but B" the two parts, in a sentence about the answer.
NOT = r"no (?:es|era)|non è|não é|n'est pas|ist nicht|is not|isn't|jest nie|nie jest|is niet|不是|不應該是|不应该是"
BUT = r"es|sino(?: que es)?|è|ma(?: è)?|é|mas(?: é)?|c'est|mais(?: c'est)?|sondern|it is|it's|but|lecz|ale|maar|而是|是"
REMAINS = (
    r"it is|remains|is left|is the only (?:one|option|choice)(?: left)?|i (?:guess|think|believe|suppose)|"
    r"is the one|it must be|"
    r"(?:(?:seems|looks)\s+(?:right|correct)|fits|matches(?: exactly| the output(?: exactly)?)?)(?=\s*(?:[.!\n]|$))"
)
ONLY = (
    r"matches|fits|agrees|works|remains|is|has|gives|shows|can|prints|yields|lists|contains|survives|does|stands|holds"
)

# Words that may follow a claimed letter. After A only words that cannot follow an article.
AFTER = (
    r"because|since|as|for|and|which|that|due|given|but|where|with|though|although|here|then|so|by|the|i|we|it|not|"
    r"rather|instead|after|based|from|per|also|again|yes|ok|this|these|thus|therefore|hence|of|"
    r"et|und|y|e|car|porque|perché|weil|da|denn|parce|puisque|ya|pois|ponieważ|потому|так|поскольку|dir|dır|"
    r"çünkü|karena|vì|"
    r"fordi|eftersom|omdat|want|protože|mert|है|です|だ|である|입니다|이다|を|ni"
)
AFTER_A = (
    "because since as and which due given but not rather instead so therefore thus hence und weil denn car porque "
    "है です だ"
)

# Before a claim, in its clause: the claim is not the speaker's own, or is withdrawn.
REJECTED = (
    r"(?:n't|\bnot|\bnever|\bno)\s+(?:\w+\s+){0,3}(?:think|believe|say|mean|sure|clear|certain|true|that|"
    r"convinced|case|claim|"
    r"imply|follow|conclude|choose|pick|answer)\b"
    r"|\b(?:not|no|isn't|wasn't|never|neither|nor|wrong|incorrect|tempting|na[iï]ve|naïvely|naively|common|"
    r"popular|obvious|"
    r"apparent|bad|worst|previous|other|another|alternative|his|her|their|your|second|trap|mistaken|"
    r"false|rejected|excluded|eliminated|discarded)\s+(?:\w+\s+){0,1}\Z"
    r"|\b(?:might|may)\s+(?:be\s+)?(?:think|say|argue|answer|tempt|conclude|guess|assume|claim|pick|choose)"
    r"|\b(?:might|may|could) (?:suggest|seem|appear|look)|\btempt(?:ed|ing)?\b|\bmistake\b|\btrap\b|"
    r"\bna[iï]ve(?:ly)?\b|"
    r"\bat first\b|\bfirst\s*\Z|\bfirst (?:glance|thought|instinct|guess|impression|reaction|answer|reading|"
    r"sight)\b|\binitially\b|"
    r"\binitial (?:guess|thought|answer|instinct|reaction|reading|impression)\b|\boriginally\b|\b(?:i|i'd|had|"
    r"was)\s+(?:\w+\s+)?"
    r"(?:thought|assumed|considered|going to)\b|\bsomeone\b|\bsomebody\b|\banybody\b|\bpeople\b|\bone (?:would|"
    r"might|may|could)\b|"
    r"\bmany\b|\byou(?:'d| would| might| may| could)\b|\b(?:beginner|novice|reader|opponent|programmer)s?\b|"
    r"\bintuiti\w+|"
    r"\b(?:wrongly|mistakenly|incorrectly)\b|\bclaims?\b|\bwhether\b|\bwhy\b|\bis the\s*\Z|\bsupposedly\b|"
    r"\bpretend|\blooks? as if\b|"
    r"\bcould the\s*\Z|\bwas the\s*\Z|\bcan the\s*\Z|\bif only\b|\bused to\b|\bwould have\b"
)
SUPPOSED = (
    r"if|unless|were|had|suppose|supposing|assuming|assume|in case|otherwise|provided|when|wenn|falls|si|se|"
    r"jeśli|если|如果|要是"
)
# Anywhere in the sentence of a conclusion: the letter is rejected, not concluded.
AGAINST = (
    r"not\b|\w*n't\b|wrong|incorrect|eliminat|rul(?:e|es|ed|ing) out|exclud|discard|reject|unlike|except|distractor|"
    r"doubt (?:that |if |whether )?(?:it|that|this)\b|"
    r"tempting|trap|false|impossible|mistake|instead of|rather than|neither|nor\b|no\b|fails?\b|invalid|contradict|"
    r"class\b|method\b|variable\b|instance\b|would\b|could\b|might\b|maybe\b|perhaps\b|if\b|suppose|unless\b|"
    r"first\b|initially|"
    r"nicht\b|kein|pas\b|no es|non\b|não\b|不|nie\b|нет?\b|не\b"
)
TAKEN_BACK = (
    r"(?:oh |hmm,? |but |no,? )?wait(?=[,.!:—…]|\s*$| no\b)|hold on\b|scratch that|no,? wait|correction\b|i was wrong|"
    r"i (?:have )?made (?:a|an) (?:mistake|error|slip)|my mistake|my bad|oops|strike that|on second thoughts?|"
    r"let me (?:reconsider|rethink|redo|recalculate|revise|correct)|i need to (?:reconsider|correct|revise)|sorry,|"
    r"that's not right\b|that is not right\b|no, (?:that|this) is wrong|no, that's wrong|apologies"
)
CHECKED = (
    r"actually\b|hmm+\b|let me (?:double[- ]?check|check|verify|re-?check|re-?trace|confirm|re-?examine|"
    r"look again|re-?read)|"
    r"edit:|however,|but actually|update:|looking (?:again|closer)|on (?:closer|further) (?:look|inspection|reflection)"
)
# Words that begin second thoughts.
DOUBTS = (
    r"actually|h+m+|wait|hold on|hang on|no|nope|nah|(?:or|but) rather|correction|corrected|update[d]?|edit(?:ed)?|"
    r"revis(?:ed|ion|ing)|sorry|oops|whoops|scratch that|strike that|my (?:mistake|bad)|never ?mind|"
    r"on (?:second|further|closer|more careful) \w+|on reflection|thinking (?:again|about it more)|"
    r"come to think of it|(?:re-?|double[- ]?)check(?:ing|ed)?|"
    r"let me (?:(?:re-?|double[- ]?)?check|verify|re-?trace|confirm|re-?examine|look again|re-?read)|"
    r"looking (?:again|closer)|"
    r"make that|i (?:retract|withdraw)|(?:i )?(?:have )?changed my mind|"
    r"i (?:misread|mis-?counted|meant?|take (?:that|it) back|stand corrected|correct myself|was wrong)|"
    r"nein|doch(?: nicht)?|moment(?: mal)?|warte|halt|stopp|korrektur|quatsch|genauer gesagt|besser gesagt|vielmehr|"
    r"ich (?:korrigiere|verbessere)(?: mich)?|(?:nach|bei) (?:nochmaligem|genauerem|erneutem|näherem|weiterem) \w+|"
    r"eigentlich|tatsächlich|entschuldigung|"
    r"non|attend(?:s|ez)|en (?:fait|réalité)|à la réflexion|après (?:vérification|réflexion|relecture)|pardon|"
    r"(?:ou )?plutôt|erreur|je me (?:suis trompée?|corrige)|finalement|désolée?|rectification|mise à jour|"
    r"espera|espere|me equivoqué|rectifico|mi error|"
    r"en realidad|mejor dicho|corrección|perdón|pensándolo \w+|de hecho|não|aliás|na verdade|correção|"
    r"desculpe|me enganei|"
    r"aspetta|mi correggo|mi sono sbagliat[oa]|anzi|in realtà|correzione|(?:mi )?scus[ai]|ripensandoci|"
    r"nee|nej|nei|ei|ne|nie|hayır|không|tunggu|bukan|لا|नहीं|"
    r"(?:хотя )?нет|подожди(?:те)?|стоп|на самом деле|вернее|точнее|исправление|поправка|извините"
)
# The same, for languages without spaces between words.
DOUBTS_JOINED = (
    r"等等|等一下|等下|不对|不對|哦不|噢不|不(?=[,、。])|更正|修正|抱歉|其实|其實|实际上|實際上|仔细|仔細|重新|再次?(?:想|看|检查|算|确认)|修改|改为|我错了|"
    r"いや|待って|訂正|よく(?:考え|見)|すみません|違(?:う|います)|아니|잠깐|정정|다시|사실"
)
# After these words a letter at the end of a line is a name.
MENTIONED = (
    r"class(?:es)?|methods?|functions?|variables?|instances?|objects?|lists?|keys?|calls?|called|named|from|than|of|"
    r"and|or|over"
)
# Words before the letter of second thoughts, for languages without spaces between words.
COMES_TO_JOINED = r"应该是|應該是|应为|是|为|為|选择|选|選|は|が"
# The verdict on each option of a list.
RIGHT = (
    r"yes|true|right|correct|match(?:es)?|fits|works|holds|ja|richtig|stimmt|oui|vrai|sí|sim|да|верно|是|对|對|正确|✓|✔|"
    r"✅"
)
WRONG = (
    r"no|false|wrong|incorrect|(?:does not|doesn't|do not|don't) (?:match|fit|work|hold)|fails?|nope|mismatch(?:es)?|"
    r"nein|falsch|non|faux|não|нет|неверно|否|错|錯|错误|不(?:是|对|符)?|✗|✘|❌|✖"
)
