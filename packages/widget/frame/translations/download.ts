/** Labels of the button that downloads a conversation. They are loaded with the list of conversations. */
export const DOWNLOAD: Readonly<Record<string, string>> = {
  en: 'Download “{title}”',
  de: '„{title}“ herunterladen',
  fr: 'Télécharger « {title} »',
  es: 'Descargar «{title}»',
  ru: 'Скачать «{title}»',
  ar: 'تنزيل «{title}»',
  zh: '下载“{title}”',
  ja: '「{title}」をダウンロード',
};
