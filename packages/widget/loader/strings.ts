/** What the element says around the frame. */
export type Words = readonly [open: string, close: string, failed: string, retry: string];

/** As texts, because the script must stay small. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'Open chat|Close chat|Chat unavailable|Try again',
  de: 'Chat öffnen|Chat schließen|Chat nicht verfügbar|Erneut versuchen',
  fr: 'Ouvrir le chat|Fermer le chat|Chat indisponible|Réessayer',
  es: 'Abrir chat|Cerrar chat|Chat no disponible|Reintentar',
  ru: 'Открыть чат|Закрыть чат|Чат недоступен|Повторить',
  ar: 'فتح الدردشة|إغلاق الدردشة|الدردشة غير متاحة|إعادة المحاولة',
  zh: '打开聊天|关闭聊天|聊天不可用|重试',
  ja: 'チャットを開く|チャットを閉じる|チャット利用不可|再試行',
};

/** The words of a language (BCP 47), in English where there are none. */
export function wordsOf(language: string): Words {
  const text = WORDS[language.slice(0, 2).toLowerCase()] ?? (WORDS['en'] as string);
  return text.split('|') as unknown as Words;
}
