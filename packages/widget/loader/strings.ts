export type Strings = [open: string, close: string, failed: string, retry: string];

/** Strings joined by `|`, to keep the script small. */
const STRINGS: Readonly<Record<string, string>> = {
  en: 'Open chat|Close chat|Chat unavailable|Try again',
  de: 'Chat öffnen|Chat schließen|Chat nicht verfügbar|Erneut versuchen',
  fr: 'Ouvrir le chat|Fermer le chat|Chat indisponible|Réessayer',
  es: 'Abrir chat|Cerrar chat|Chat no disponible|Reintentar',
  ru: 'Открыть чат|Закрыть чат|Чат недоступен|Повторить',
  ar: 'فتح الدردشة|إغلاق الدردشة|الدردشة غير متاحة|إعادة المحاولة',
  zh: '打开聊天|关闭聊天|聊天不可用|重试',
  ja: 'チャットを開く|チャットを閉じる|チャットを開けません|再試行',
};

/** Returns the strings of a language (BCP 47), or the English strings if there is no translation. */
export function stringsOf(language: string): Strings {
  const text = STRINGS[language.slice(0, 2).toLowerCase()] ?? (STRINGS['en'] as string);
  return text.split('|') as unknown as Strings;
}
