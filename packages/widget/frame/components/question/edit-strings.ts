import type { Language } from '../../translations/languages.ts';

export interface EditStrings {
  /** Label of the button and of the text field. */
  readonly edit: string;
  /** Explains what happens to the later messages. */
  readonly removed: string;
}

/** All languages in one file, because it is loaded with the first answer. */
export const EDIT_STRINGS: Readonly<Record<Language, EditStrings>> = {
  en: { edit: 'Edit question', removed: 'The messages after this question will be removed.' },
  ar: { edit: 'تعديل السؤال', removed: 'ستُحذف الرسائل التي تلي هذا السؤال.' },
  de: { edit: 'Frage bearbeiten', removed: 'Die Nachrichten nach dieser Frage werden entfernt.' },
  es: {
    edit: 'Editar la pregunta',
    removed: 'Se eliminarán los mensajes posteriores a esta pregunta.',
  },
  fr: {
    edit: 'Modifier la question',
    removed: 'Les messages après cette question seront supprimés.',
  },
  ja: { edit: '質問を編集', removed: 'この質問より後のメッセージは削除されます。' },
  ru: { edit: 'Изменить вопрос', removed: 'Сообщения после этого вопроса будут удалены.' },
  zh: { edit: '编辑问题', removed: '此问题之后的消息将被删除。' },
};

/** @param language language of the page. Unknown languages are shown in English. */
export function editStrings(language: string): EditStrings {
  return EDIT_STRINGS[language as Language] ?? EDIT_STRINGS.en;
}
