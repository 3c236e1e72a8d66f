import { tokenise } from '../../../lib/text/index.ts';

/** Languages that are detected by their common words. */
export const LANGUAGES_BY_WORDS = ['en', 'de', 'fr', 'es'] as const;
type Known = (typeof LANGUAGES_BY_WORDS)[number] | 'ru' | 'ar' | 'zh';

/** Words of a question that do not belong to its subject. The Chinese entries are pairs of characters. */
const WORDS: Record<Known, string> = {
  en: `hello hi hey thanks please above below a about after all am an and any anything are as at be been before but by can could did do does for from get give
    had has have how i if in into is it its know let long many may me much must my of on or our please shall she he
    should so some tell than that the their them there these they this those to us was we were what when where which
    while who whom whose why will with would you your yours explain describe show say says want need it's what's
    where's who's how's i'm i'd don't doesn't can't isn't`,
  de: `aber alle als also am an auch auf aus bei bin bis bitte da dann darf das dass dein deine dem den denn der des dich die
    dies diese dieser dir doch du ein eine einem einen einer eines er es etwas euch euer eure eurem euren eurer für gibt habe haben habt hat hier ich
    ihm ihn ihnen ihr ihre im in ins ist kann kannst können könnte lange man mein meine meinem meinen meiner mich möchte mir mit muss müssen nach
    noch oder sag sage sich sie sind so soll sollen über um und uns unser viel viele vom von vor wann war warum was
    tun tut welche welchem welchen welcher welches wem wen wenn wer werden wie wieso wird wir wo woher wohin wozu zu zum zur zeig erkläre mal
    geht's gibt's wie's`,
  fr: `suis etes sera serai serez ete à ai aller alors après as au aussi aux avant avec avoir beaucoup bien ce cela ces cet cette comment combien dans
    de depuis des dit donc dois doit du elle elles en entre es est et être faire fait faut il ils je la le les leur
    leurs lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas peut peuvent peux plus plusieurs pour pourquoi puis
    puisje quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te tes toi ton tu un une va vos
    votre vous y a l'on d'un d'une qu'est-ce qu'il qu'elle qu'on c'est j'ai n'est s'il l d j qu n s c m t expliquez
    dites montrez`,
  es: `a al algo alguna alguno antes como cómo con cuál cuales cuáles cuando cuándo cuanta cuánta cuantas cuántas cuanto
    cuánto cuantos cuántos de debo del desde después dice dime donde dónde dos el él ella ellos en entre era eres es esa
    ese eso esta está están estas este esto estos fue ha hace hacer hay he la las le les lo los más me mi mis mucho muy
    nada ni no nos nuestra nuestro o os para pero por porque puede pueden puedo qué que quien quién se ser si sí sin
    sobre son soy su sus te tengo tiene tienen tu tus un una unas uno unos usted ustedes y ya yo explica muestra`,
  ru: `а без бы был была были было быть в вам вас ваш ваша ваше ваши весь во вот все всё вы где да даже для до его ее её
    если есть еще ещё же за здесь и из или им их к как какая какие какой каком какую ко когда который кто куда ли либо
    мне можно мой моя моё мои мы на над нам нас наш не него нее ней нет ни них но ну о об он она они оно от откуда
    очень по под пожалуйста почему при про с сколько скажи скажите расскажи расскажите со так там такое такой те тем то
    тогда тоже только тот ту ты у уже чего чей чем что чтобы чьё эта эти это этот я могу может нужно надо`,
  ar: `في من على إلى عن مع هذا هذه ذلك تلك هل ما ماذا متى أين كيف كم لماذا لم لا لن إن أن أنا نحن هو هي هم أنت أنتم
    التي الذي الذين كان كانت يكون تكون قد أو و ثم أي كل بعض عند بين حتى إذا لي لك له لها لنا عليه فيه منه هناك يمكن
    يمكنني أريد أخبرني اشرح بكم لديك لدي يوجد توجد هي`,
  zh: '多长 长时 多少 多久 可以 请问 我们 如何 需要 有没 没有 能否 是否 告诉 一下 有多 能不 几天',
};

/** Chinese and Japanese characters of function words. A pair that contains such a character is treated as a function word. */
const GRAMMAR = /[\p{sc=Hiragana}的了是吗嗎呢吧么麼怎哪谁誰什們们这這那何]/u;

/** Reports whether a term from `tokenise` is a common word of the language. */
export function isCommonWord(term: string, language: Known): boolean {
  return termsOf(WORDS[language]).has(term);
}

/** Reports whether a term does not belong to the subject of a question in this language. */
export function isStopWord(term: string, language: string): boolean {
  return GRAMMAR.test(term) || (isKnown(language) && termsOf(WORDS[language]).has(term));
}

/**
 * Words that occur in many questions and say little about the subject of a question. Unlike common words, these words improve
 * the choice between two sentences.
 */
const WEAK_WORDS: Partial<Record<string, string | ReadonlySet<string>>> = {
  en: `item items product products article articles thing things something anything someone everybody possible
    available allowed permitted happen happens happened exactly currently today usually actually work works use used offer
    offers sell mean make made going order buy get got bring take takes own really still ever also just each per company
    shop store customer customers need needed only number`,
  de: `artikel produkt produkte ware etwas moglich erlaubt passiert genau heute eigentlich funktioniert nutzen bieten
    anbieten verkaufen vermieten haben brauche brauchen braucht machen bekomme bekommen eigene eigenen firma kunde kunden
    jetzt pro ab lassen lasse nehmen nehmt`,
  fr: `article produit chose quelque possible permis passe exactement aujourd hui proposez vendez avez besoin
    societe client clients maintenant passer prend nouveau`,
  es: `articulo producto cosa algo posible permitido pasa exactamente hoy ofrecen venden tienen necesito empresa
    cliente clientes ahora hacer lleva`,
  ru: `товар товара вещь возможно разрешено случится точно сегодня предлагаете продаете магазин компания клиент
    взять получу использовать нужны нужен нужна`,
  ar: 'منتج شيء ممكن مسموح اليوم تقدمون تبيعون شركه عميل زبون',
  zh: new Set(['商品', '产品', '东西', '客户', '公司', '取', '卖']),
  ja: new Set(['商品', '製品', '会社', '売']),
};

/** Reports whether a term says little about the subject of a question. */
export function isWeakWord(term: string, language: string): boolean {
  const words = WEAK_WORDS[language];
  const terms = typeof words === 'string' ? termsOf(words) : words;
  return terms?.has(term) === true;
}

function isKnown(language: string): language is Known {
  return Object.hasOwn(WORDS, language);
}

/** Sets of terms by their text. They are built at their first use, because building all of them would delay the start by 20 ms. */
const sets = new Map<string, ReadonlySet<string>>();

function termsOf(words: string): ReadonlySet<string> {
  const terms = sets.get(words) ?? new Set(tokenise(words).map(({ term }) => term));
  sets.set(words, terms);
  return terms;
}
