import type { Language } from './words/language.ts';

/** The kind of information that a question asks for. `null` stands for all other questions. */
export type AnswerKind = 'money' | 'duration' | 'time' | 'number' | null;

/** Patterns in the order in which they are tried. */
const ASKS: Record<Language, readonly (readonly [Exclude<AnswerKind, null>, RegExp])[]> = {
  en: [
    [
      'duration',
      /\bhow (?:long|fast|soon|quickly)\b|\bhow many (?:\w+ )?(?:minutes|hours|days|weeks|months|years)\b/,
    ],
    ['time', /\bwhen\b|\bwhat time\b|\bopening (?:hours|times)\b/],
    [
      'number',
      /\bhow (?:many|old|heavy|often|far|big|large|high|tall|deep|wide)\b|\bhow much (?:\w+ )?(?:weight|luggage|load)\b|\bhow much does \w+(?: \w+)* weigh\b/,
    ],
    ['money', /\bhow much\b|\b(?:costs?|prices?|fees?)\b/],
  ],
  de: [
    [
      'duration',
      /\bwie (?:lange|schnell)\b|\bwie ?viele (?:minuten|stunden|tage|wochen|monate|jahre)\b/,
    ],
    ['time', /\bwann\b|\bum wie ?viel uhr\b|öffnungszeiten/],
    ['money', /\bkoste[nt]|\bpreise?\b|gebühr|\bwie teuer\b/],
    ['number', /\bwie ?viele?\b|\bwie (?:alt|schwer|oft|hoch|weit)\b/],
  ],
  fr: [
    [
      'duration',
      /\bcombien de (?:temps|minutes|heures|jours|semaines|mois)\b|\bdélais?\b|\bdurée\b/,
    ],
    ['time', /\bquand\b|\bquelle heure\b|\bhoraires?\b/],
    ['money', /\bcombien (?:ça )?(?:coûte|ça)|\bprix\b|\btarifs?\b|\bcoûte/],
    ['number', /\bcombien\b|\bquel âge\b|\bquel montant\b/],
  ],
  es: [
    [
      'duration',
      /cuánto (?:tiempo|dura|tarda)|cuántos (?:minutos|días|meses|años)|cuántas (?:horas|semanas)|\bduración\b/,
    ],
    ['time', /cuándo|\bqué hora\b|\bhorarios?\b/],
    ['money', /cuánto (?:cuesta|vale)|\bprecios?\b|\bcuesta/],
    ['number', /cuánt[oa]s?\b|\bqué edad\b/],
  ],
  ru: [
    [
      'duration',
      /сколько (?:времени|минут|часов|дней|недель|месяцев|лет)|как долго|(?<!\p{L})срок/u,
    ],
    ['time', /когда|во сколько/],
    ['money', /сколько (?:это )?сто[ия]т|стоимость|(?<!\p{L})цен[аы]/u],
    ['number', /сколько/],
  ],
  ar: [
    ['duration', /كم (?:يوم|ساعة|من الوقت|يستغرق|تستغرق)|مدة/],
    ['time', /متى/],
    ['money', /سعر|تكلف|ثمن|بكم/],
    ['number', /كم/],
  ],
  zh: [
    ['duration', /多久|多长时间|几天|多少天|几个月|几年/],
    ['time', /什么时候|几点|何时/],
    ['money', /多少钱|价格|费用|运费/],
    ['number', /多少|几/],
  ],
  ja: [
    ['duration', /どのくらい|どれくらい|何日|何時間|何年|何か月|期間/],
    ['time', /いつ|何時/],
    ['money', /いくら|料金|価格|値段/],
    ['number', /何歳|何個|何人|いくつ/],
  ],
};

/** Words that only express the kind. An answer of the right kind need not contain them. Folded like search terms. */
const KIND_WORDS: Readonly<Record<Exclude<AnswerKind, null>, ReadonlySet<string>>> = {
  money: new Set(
    `cost costs price prices fee fees pay charge koste kosten kostet preis preise teuer prix tarif tarifs coute couter cout cuesta
    cuestan precio precios vale стоит стоят стоимость цена цены سعر تكلفه ثمن 价格 费用 多少钱 钱 料金 価格 値段 費用`.split(
      /\s+/,
    ),
  ),
  duration: new Set(
    `take takes last lasts long valid valable gilt gelten gultig fast soon quickly schnell vite rapide rapidement rapido pronto быстро minute minutes hours days weeks months years dauert dauer zeit stunden tage wochen monate jahre temps
    prend duree delai jours heures semaines mois tiempo dura duran tarda tardan lleva duracion dias horas semanas meses времени
    занимает длится срок дней часов недель месяцев лет يستغرق تستغرق مده يوما يوم 期間 期`.split(
      /\s+/,
    ),
  ),
  time: new Set('time times uhr heure hora время موعد 时间 時'.split(' ')),
  number: new Set(
    'number many old often far big large high tall deep wide amount alt oft hoch weit age montant'.split(
      ' ',
    ),
  ),
};

const NUMBER = /\p{N}/u;
const NUMBER_WORD =
  /(?<!\p{L})(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|ein(?:e[nmrs]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halbe?n?|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|оди?н\p{L}*|дв[ае]|двух|три|тр[её]х|четыр\p{L}*|пят[ьи]|шест[ьи]|сем[ьи]|восем\p{L}*|девят[ьи]|десят[ьи]|يوم(?:ين|ان)?|سنت(?:ين|ان)|ثلاث\p{L}*|أربع\p{L}*|خمس\p{L}*|ست\p{L}*|سبع\p{L}*|ثماني\p{L}*|تسع\p{L}*|عشر\p{L}*)(?!\p{L})|[一二两三四五六七八九十半]/iu;
const CURRENCY =
  /[€$£¥₽]|(?<!\p{L})(?:euros?|eur|usd|dollars?|pounds?|cents?|рубл\p{L}*|евро|يورو|دولار|درهم|ريال)(?!\p{L})|[元円]/iu;
const FREE =
  /(?<!\p{L})(?:free|kostenlos|gratis|gratuit\p{L}*|бесплатн\p{L}*|مجان\p{L}*|half|moitié|mitad)(?!\p{L})|免费|无料|無料|免运费|半价|半額/iu;
const TIME_UNIT =
  /(?<!\p{L})(?:minut\p{L}*|hours?|days?|weeks?|months?|years?|same day|(?:werk|arbeits|kalender|bank)?tage?n?|stunden?|wochen?|monate?n?|jahre?n?|heures?|jours?|semaines?|mois|ans|(?<=(?:un|par|\p{N})\s)an|années?|horas?|días?|semanas?|mes(?:es)?|años?|дн[яе]\p{L}*|день|дней|час\p{L}*|недел\p{L}*|месяц\p{L}*|лет|год\p{L}*|(?:ال)?(?:يوم\p{L}*|أيام|ساع\p{L}*|أسبوع|أسابيع|شهر\p{L}*|أشهر|سن(?:ة|وات|تين|تان)))(?!\p{L})|[天年月周週日]|小时|分钟|時間/iu;
const TIME =
  /(?<!\p{L})(?:noon|morning|evening|today|tomorrow|daily|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|end of|first|within|after|before|until|täglich|montag|samstag|innerhalb|nach|vor|bis|avant|après|sous|lundi|veille|antes|después|lunes|sábados?|после|до|в течение|الجمعة|السبت)(?!\p{L})/iu;

/** Matches questions that ask how to do something. */
const ASKS_HOW: Record<Language, RegExp> = {
  en: /\bhow (?:do|can|could|should|must|to)\b|\bwhat (?:do|should|must) (?:i|we|you) do\b/,
  de: /(?<!\p{L})wie (?:\p{L}+ ){1,2}(?:ich|man|wir)(?!\p{L})|(?<!\p{L})was (?:muss|soll|kann) (?:ich|man) (?:tun|machen)(?!\p{L})|(?<!\p{L})zu tun(?!\p{L})/u,
  fr: /\bcomment\b|\bque (?:dois-je|faut-il) faire\b/,
  es: /(?<!\p{L})cómo(?!\p{L})|qué (?:debo|tengo que) hacer/u,
  ru: /(?<!\p{L})как(?!\p{L})(?! (?:долго|часто|быстро|скоро|далеко))/u,
  ar: /كيف/,
  zh: /如何|怎么|怎样/,
  ja: /どうやって|どうすれば|どのように|方法/,
};

/** Reports whether a question asks how to do something, so that a list of steps can be the answer. */
export function asksHow(question: string, language: Language): boolean {
  return ASKS_HOW[language].test(question.toLowerCase().normalize('NFC'));
}

/** Returns the kind of information that a question asks for. */
export function answerKindOf(question: string, language: Language): AnswerKind {
  const text = question.toLowerCase().normalize('NFC');
  return ASKS[language].find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** Reports whether a word only expresses the kind of a question. */
export function isKindWord(word: string, kind: AnswerKind): boolean {
  return kind !== null && KIND_WORDS[kind].has(word);
}

/** Reports whether a word is a number or a unit of time, which many unrelated sentences contain. */
export function isAmount(word: string): boolean {
  return /^\p{N}+$/u.test(word) || TIME_UNIT.test(word) || NUMBER_WORD.test(word);
}

/** Reports whether a text contains information of the kind. Amounts in table rows often have no currency. */
export function hasKind(text: string, kind: AnswerKind, isRow: boolean): boolean {
  const hasNumber = NUMBER.test(text) || NUMBER_WORD.test(text);
  switch (kind) {
    case null:
      return true;
    case 'money':
      return FREE.test(text) || (hasNumber && (isRow || CURRENCY.test(text)));
    case 'duration':
      return hasNumber && TIME_UNIT.test(text);
    case 'time':
      return hasNumber || TIME.test(text) || TIME_UNIT.test(text);
    case 'number':
      return hasNumber;
  }
}
