import type { SmallTalkKind } from './small-talk/small-talk-words.ts';
import type { Language } from './words/language.ts';

/** The answerer's own phrases. All other text of an answer is quoted, or comes from the settings of the bot or the link. */
export interface Phrases {
  /** Introduces quotes. */
  readonly found: string;
  readonly nothing: string;
  /** The budget for models is used up. Contains no character that Markdown interprets. */
  readonly budgetUsed: string;
  /** Introduces the suggested questions. */
  readonly suggestions: string;
  /** Introduces the assistant. `{name}` is the title of the link or the name of the bot. */
  readonly name: string;
  /** Tells a person who asks for a human how to reach one in the chat. */
  readonly handoff: string;
  readonly replies: Readonly<Record<SmallTalkKind, string>>;
}

export const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: {
    found: 'From the documents:',
    budgetUsed:
      'The budget for the language model is used up for now. This answer only quotes the documents.',
    nothing: 'I found nothing about this in the documents. Try asking in different words.',
    suggestions: 'You can ask, for example:',
    name: 'I am the automated assistant “{name}”.',
    handoff: 'The button below the chat connects you with a person.',
    replies: {
      greeting: 'Hello!',
      thanks: 'You’re welcome!',
      farewell: 'Goodbye!',
      acknowledgement: 'Is there anything else you would like to know?',
      human: 'I cannot connect you with a person in this chat.',
      identity: 'I answer questions by quoting documents.',
    },
  },
  de: {
    found: 'Aus den Dokumenten:',
    budgetUsed:
      'Das Budget für das Sprachmodell ist derzeit aufgebraucht. Diese Antwort zitiert nur die Dokumente.',
    nothing:
      'Dazu habe ich in den Dokumenten nichts gefunden. Versuchen Sie es mit anderen Worten.',
    suggestions: 'Sie können zum Beispiel fragen:',
    name: 'Ich bin der automatische Assistent „{name}“.',
    handoff: 'Über die Schaltfläche unter dem Chat erreichen Sie einen Menschen.',
    replies: {
      greeting: 'Hallo!',
      thanks: 'Gern geschehen!',
      farewell: 'Auf Wiedersehen!',
      acknowledgement: 'Haben Sie weitere Fragen?',
      human: 'Ich kann Sie in diesem Chat nicht mit einem Menschen verbinden.',
      identity: 'Ich beantworte Fragen, indem ich aus Dokumenten zitiere.',
    },
  },
  fr: {
    found: 'D’après les documents :',
    budgetUsed:
      'Le budget du modèle de langage est épuisé pour le moment. Cette réponse ne fait que citer les documents.',
    nothing:
      'Je n’ai rien trouvé à ce sujet dans les documents. Essayez de reformuler votre question.',
    suggestions: 'Vous pouvez par exemple demander :',
    name: 'Je suis l’assistant automatique « {name} ».',
    handoff: 'Le bouton sous la discussion vous met en relation avec une personne.',
    replies: {
      greeting: 'Bonjour !',
      thanks: 'Je vous en prie !',
      farewell: 'Au revoir !',
      acknowledgement: 'Avez-vous une autre question ?',
      human: 'Je ne peux pas vous mettre en relation avec une personne dans cette discussion.',
      identity: 'Je réponds aux questions en citant des documents.',
    },
  },
  es: {
    found: 'Según los documentos:',
    budgetUsed:
      'El presupuesto del modelo de lenguaje se ha agotado por ahora. Esta respuesta solo cita los documentos.',
    nothing:
      'No encontré nada sobre esto en los documentos. Pruebe a preguntar con otras palabras.',
    suggestions: 'Puede preguntar, por ejemplo:',
    name: 'Soy el asistente automático «{name}».',
    handoff: 'El botón debajo del chat le pone en contacto con una persona.',
    replies: {
      greeting: '¡Hola!',
      thanks: '¡De nada!',
      farewell: '¡Hasta luego!',
      acknowledgement: '¿Tiene alguna otra pregunta?',
      human: 'No puedo ponerle en contacto con una persona en este chat.',
      identity: 'Respondo a preguntas citando documentos.',
    },
  },
  ru: {
    found: 'Из документов:',
    budgetUsed: 'Бюджет языковой модели пока исчерпан. Этот ответ только цитирует документы.',
    nothing: 'В документах об этом ничего не нашлось. Попробуйте спросить другими словами.',
    suggestions: 'Можно спросить, например:',
    name: 'Я автоматический помощник «{name}».',
    handoff: 'Кнопка под чатом соединит вас с человеком.',
    replies: {
      greeting: 'Здравствуйте!',
      thanks: 'Пожалуйста!',
      farewell: 'До свидания!',
      acknowledgement: 'Есть ли у вас ещё вопросы?',
      human: 'В этом чате я не могу соединить вас с человеком.',
      identity: 'Я отвечаю на вопросы цитатами из документов.',
    },
  },
  ar: {
    found: 'من المستندات:',
    budgetUsed: 'نفدت ميزانية النموذج اللغوي في الوقت الحالي. هذه الإجابة تقتبس من المستندات فقط.',
    nothing: 'لم أجد شيئًا عن هذا في المستندات. جرّب السؤال بكلمات أخرى.',
    suggestions: 'يمكنك أن تسأل مثلًا:',
    name: 'أنا المساعد الآلي «{name}».',
    handoff: 'يصلك الزر الموجود أسفل المحادثة بشخص حقيقي.',
    replies: {
      greeting: 'مرحبًا!',
      thanks: 'على الرحب والسعة!',
      farewell: 'مع السلامة!',
      acknowledgement: 'هل لديك سؤال آخر؟',
      human: 'لا أستطيع أن أصلك بشخص حقيقي في هذه المحادثة.',
      identity: 'أجيب عن الأسئلة باقتباسات من المستندات.',
    },
  },
  zh: {
    found: '文档中的内容：',
    budgetUsed: '语言模型的预算目前已用完。此回答仅引用文档内容。',
    nothing: '文档中没有找到相关内容。请换个说法再试。',
    suggestions: '您可以这样问：',
    name: '我是自动助手“{name}”。',
    handoff: '点击对话下方的按钮即可转接人工。',
    replies: {
      greeting: '您好！',
      thanks: '不客气！',
      farewell: '再见！',
      acknowledgement: '还有其他问题吗？',
      human: '我无法在此对话中为您转接人工。',
      identity: '我通过引用文档来回答问题。',
    },
  },
  ja: {
    found: '文書からの引用：',
    budgetUsed: '言語モデルの予算は現在使い切られています。この回答は文書の引用のみです。',
    nothing: '文書の中に該当する内容は見つかりませんでした。別の言葉でお試しください。',
    suggestions: '例えば、次のように質問できます：',
    name: '自動アシスタントの「{name}」です。',
    handoff: 'チャットの下にあるボタンで担当者におつなぎします。',
    replies: {
      greeting: 'こんにちは！',
      thanks: 'どういたしまして！',
      farewell: 'さようなら！',
      acknowledgement: 'ほかにご質問はありますか？',
      human: 'このチャットでは担当者におつなぎできません。',
      identity: '文書を引用して質問にお答えします。',
    },
  },
};
