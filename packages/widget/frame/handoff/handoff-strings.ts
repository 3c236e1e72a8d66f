import type { Language } from '../translations/languages.ts';

const en = {
  request: 'Talk to a person',
  waiting: 'A person will answer here. You can already write what it is about.',
  joined: '{author} has joined the conversation.',
  ended: 'The conversation with the team has ended. The assistant answers again.',
  away: 'Nobody is available right now. Please try again later.',
  leave: 'Back to the assistant',
};

export type HandoffStrings = Readonly<typeof en>;

/** Loaded only if the assistant hands conversations over. */
export const HANDOFF_STRINGS: Readonly<Record<Language, HandoffStrings>> = {
  en,
  de: {
    request: 'Mit einem Menschen sprechen',
    waiting: 'Ein Mensch wird hier antworten. Sie können schon schreiben, worum es geht.',
    joined: '{author} ist dem Gespräch beigetreten.',
    ended: 'Das Gespräch mit dem Team ist beendet. Der Assistent antwortet wieder.',
    away: 'Gerade ist niemand erreichbar. Bitte versuchen Sie es später noch einmal.',
    leave: 'Zurück zum Assistenten',
  },
  fr: {
    request: 'Parler à une personne',
    waiting: 'Une personne vous répondra ici. Vous pouvez déjà expliquer votre demande.',
    joined: '{author} a rejoint la conversation.',
    ended: 'La conversation avec l’équipe est terminée. L’assistant répond de nouveau.',
    away: 'Personne n’est disponible pour le moment. Veuillez réessayer plus tard.',
    leave: 'Revenir à l’assistant',
  },
  es: {
    request: 'Hablar con una persona',
    waiting: 'Una persona le responderá aquí. Ya puede escribir de qué se trata.',
    joined: '{author} se ha unido a la conversación.',
    ended: 'La conversación con el equipo ha terminado. El asistente vuelve a responder.',
    away: 'Ahora no hay nadie disponible. Inténtelo de nuevo más tarde.',
    leave: 'Volver al asistente',
  },
  ru: {
    request: 'Поговорить с человеком',
    waiting: 'Вам ответит человек. Вы уже можете написать, в чём дело.',
    joined: '{author} теперь в беседе.',
    ended: 'Беседа с сотрудниками завершена. Снова отвечает помощник.',
    away: 'Сейчас никого нет на связи. Попробуйте позже.',
    leave: 'Вернуться к помощнику',
  },
  ar: {
    request: 'التحدث إلى شخص',
    waiting: 'سيجيبك شخص هنا. يمكنك كتابة موضوعك الآن.',
    joined: 'انضم {author} إلى المحادثة.',
    ended: 'انتهت المحادثة مع الفريق. عاد المساعد للإجابة.',
    away: 'لا يوجد أحد متاح الآن. يرجى المحاولة لاحقًا.',
    leave: 'العودة إلى المساعد',
  },
  zh: {
    request: '转接人工',
    waiting: '工作人员将在此回复。您可以先写下您的问题。',
    joined: '{author} 已加入对话。',
    ended: '与工作人员的对话已结束，将继续由助手回答。',
    away: '目前无人在线，请稍后再试。',
    leave: '返回助手',
  },
  ja: {
    request: '担当者と話す',
    waiting: '担当者がここで返信します。ご用件を先にお書きいただけます。',
    joined: '{author} さんが会話に参加しました。',
    ended: '担当者との会話は終了しました。アシスタントが再び回答します。',
    away: 'ただいま対応できる担当者がおりません。後ほどお試しください。',
    leave: 'アシスタントに戻る',
  },
};

/** @param language language of the page. */
export function handoffStrings(language: string): HandoffStrings {
  return HANDOFF_STRINGS[language as Language] ?? HANDOFF_STRINGS.en;
}
