import type { Language } from './language.ts';

/** What the answerer says itself; everything else it says is quoted. */
export interface Words {
  /** Before passages that hold most of what was asked about. */
  readonly found: string;
  /** Before passages that hold some of it. */
  readonly near: string;
  readonly nothing: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    found: 'From the documents:',
    near: 'I found no passage that clearly answers this. The closest in the documents:',
    nothing: 'I found nothing about this in the documents. Other words may help.',
  },
  de: {
    found: 'Aus den Dokumenten:',
    near: 'Ich habe keine Stelle gefunden, die das klar beantwortet. Am nächsten kommt in den Dokumenten:',
    nothing: 'Dazu habe ich in den Dokumenten nichts gefunden. Vielleicht helfen andere Wörter.',
  },
  fr: {
    found: 'D’après les documents :',
    near: 'Je n’ai trouvé aucun passage qui réponde clairement à cette question. Le plus proche dans les documents :',
    nothing: 'Je n’ai rien trouvé à ce sujet dans les documents. D’autres mots aideront peut-être.',
  },
  es: {
    found: 'Según los documentos:',
    near: 'No encontré ningún pasaje que responda claramente a esto. Lo más cercano en los documentos:',
    nothing: 'No encontré nada sobre esto en los documentos. Quizá ayuden otras palabras.',
  },
  ru: {
    found: 'Из документов:',
    near: 'Места, которое ясно отвечает на этот вопрос, не нашлось. Ближе всего в документах:',
    nothing: 'В документах об этом ничего не нашлось. Попробуйте спросить другими словами.',
  },
  ar: {
    found: 'من المستندات:',
    near: 'لم أجد مقطعًا يجيب عن هذا بوضوح. الأقرب في المستندات:',
    nothing: 'لم أجد شيئًا عن هذا في المستندات. قد تفيد كلمات أخرى.',
  },
  zh: {
    found: '文档中的内容：',
    near: '没有找到能明确回答这个问题的段落。文档中最接近的内容：',
    nothing: '文档中没有找到相关内容。可以换个说法再试。',
  },
  ja: {
    found: '文書からの引用：',
    near: 'この質問にはっきり答える箇所は見つかりませんでした。文書の中で最も近い内容：',
    nothing: '文書の中に該当する内容は見つかりませんでした。別の言葉でお試しください。',
  },
};
