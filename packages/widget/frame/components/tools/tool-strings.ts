import type { Language } from '../../translations/languages.ts';

const en = {
  /** Label of a call for screen readers. */
  call: 'Action of the assistant',
  question: 'The assistant wants to do this for you. Do you allow it?',
  allow: 'Allow',
  deny: 'Do not allow',
  running: 'In progress…',
  done: 'Done',
  failed: 'This action failed.',
  denied: 'Not allowed',
  /** The answer ended before the call was completed. */
  ended: 'This action was not completed.',
};

export type ToolStrings = Readonly<typeof en>;

/** All languages in one file, because it is loaded only if a model calls a tool. */
const TOOL_STRINGS: Readonly<Record<Language, ToolStrings>> = {
  en,
  ar: {
    call: 'إجراء من المساعد',
    question: 'يريد المساعد تنفيذ هذا الإجراء نيابةً عنك. هل تسمح بذلك؟',
    allow: 'السماح',
    deny: 'عدم السماح',
    running: 'قيد التنفيذ…',
    done: 'تم',
    failed: 'فشل هذا الإجراء.',
    denied: 'غير مسموح به',
    ended: 'لم يكتمل هذا الإجراء.',
  },
  de: {
    call: 'Aktion des Assistenten',
    question: 'Der Assistent möchte dies für Sie ausführen. Erlauben Sie es?',
    allow: 'Erlauben',
    deny: 'Nicht erlauben',
    running: 'Wird ausgeführt…',
    done: 'Erledigt',
    failed: 'Diese Aktion ist fehlgeschlagen.',
    denied: 'Nicht erlaubt',
    ended: 'Diese Aktion wurde nicht abgeschlossen.',
  },
  es: {
    call: 'Acción del asistente',
    question: 'El asistente quiere hacer esto por usted. ¿Lo permite?',
    allow: 'Permitir',
    deny: 'No permitir',
    running: 'En curso…',
    done: 'Hecho',
    failed: 'Esta acción ha fallado.',
    denied: 'No permitido',
    ended: 'Esta acción no se completó.',
  },
  fr: {
    call: 'Action de l’assistant',
    question: 'L’assistant souhaite faire ceci pour vous. L’autorisez-vous ?',
    allow: 'Autoriser',
    deny: 'Ne pas autoriser',
    running: 'En cours…',
    done: 'Terminé',
    failed: 'Cette action a échoué.',
    denied: 'Non autorisé',
    ended: 'Cette action n’a pas été terminée.',
  },
  ja: {
    call: 'アシスタントの操作',
    question: 'アシスタントが次の操作を行おうとしています。許可しますか？',
    allow: '許可する',
    deny: '許可しない',
    running: '実行中…',
    done: '完了しました',
    failed: 'この操作は失敗しました。',
    denied: '許可されませんでした',
    ended: 'この操作は完了しませんでした。',
  },
  ru: {
    call: 'Действие ассистента',
    question: 'Ассистент хочет сделать это за вас. Вы разрешаете?',
    allow: 'Разрешить',
    deny: 'Не разрешать',
    running: 'Выполняется…',
    done: 'Готово',
    failed: 'Не удалось выполнить это действие.',
    denied: 'Не разрешено',
    ended: 'Это действие не было завершено.',
  },
  zh: {
    call: '助手的操作',
    question: '助手想为您执行此操作。是否允许？',
    allow: '允许',
    deny: '不允许',
    running: '正在执行…',
    done: '已完成',
    failed: '此操作失败。',
    denied: '未允许',
    ended: '此操作未完成。',
  },
};

/** @param language language of the page. Unknown languages are shown in English. */
export function toolStrings(language: string): ToolStrings {
  return TOOL_STRINGS[language as Language] ?? TOOL_STRINGS.en;
}
