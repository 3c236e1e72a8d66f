import type { Language } from '../../translations/languages.ts';

const en = {
  attach: 'Attach files',
  /** Label of the list of files. */
  files: 'Attached files',
  remove: 'Remove “{name}”',
  uploading: 'Uploading…',
  reading: 'Reading…',
  ready: 'Ready',
  tooLarge: 'This file is too large.',
  tooLong: 'The text of this file is too long.',
  unreadable: 'This file contains no readable text.',
  format:
    'This type of file is not supported. Attach text, Markdown, HTML, CSV, JSON, PDF or Word.',
  tooMany: 'No more files can be attached here.',
  tooOften: 'Too many files in a short time. Please wait a moment.',
  failed: 'The upload failed. Please try again.',
  /** Shown after the person has tried to send the question. */
  unsent:
    'Your question was not sent, because a file could not be attached. Remove this file, or send the question again.',
};

export type AttachmentStrings = Readonly<typeof en>;

/** All languages in one file, because it is loaded only if the link accepts attachments. */
export const ATTACHMENT_STRINGS: Readonly<Record<Language, AttachmentStrings>> = {
  en,
  ar: {
    attach: 'إرفاق ملفات',
    files: 'الملفات المرفقة',
    remove: 'إزالة «{name}»',
    uploading: 'جارٍ الرفع…',
    reading: 'جارٍ القراءة…',
    ready: 'جاهز',
    tooLarge: 'هذا الملف كبير جدًا.',
    tooLong: 'نص هذا الملف طويل جدًا.',
    unreadable: 'لا يحتوي هذا الملف على نص مقروء.',
    format: 'نوع الملف هذا غير مدعوم. أرفق نصًا أو Markdown أو HTML أو CSV أو JSON أو PDF أو Word.',
    tooMany: 'لا يمكن إرفاق مزيد من الملفات هنا.',
    tooOften: 'عدد كبير من الملفات في وقت قصير. يُرجى الانتظار لحظة.',
    failed: 'فشل الرفع. يُرجى المحاولة مرة أخرى.',
    unsent: 'لم يُرسَل سؤالك لتعذّر إرفاق ملف. أزِل هذا الملف أو أرسل السؤال مرة أخرى.',
  },
  de: {
    attach: 'Dateien anhängen',
    files: 'Angehängte Dateien',
    remove: '„{name}“ entfernen',
    uploading: 'Wird hochgeladen…',
    reading: 'Wird gelesen…',
    ready: 'Bereit',
    tooLarge: 'Diese Datei ist zu groß.',
    tooLong: 'Der Text dieser Datei ist zu lang.',
    unreadable: 'Diese Datei enthält keinen lesbaren Text.',
    format:
      'Dieser Dateityp wird nicht unterstützt. Möglich sind Text, Markdown, HTML, CSV, JSON, PDF und Word.',
    tooMany: 'Hier können keine weiteren Dateien angehängt werden.',
    tooOften: 'Zu viele Dateien in kurzer Zeit. Bitte warten Sie einen Moment.',
    failed: 'Das Hochladen ist fehlgeschlagen. Bitte versuchen Sie es erneut.',
    unsent:
      'Ihre Frage wurde nicht gesendet, weil eine Datei nicht angehängt werden konnte. Entfernen Sie diese Datei, oder senden Sie die Frage noch einmal.',
  },
  es: {
    attach: 'Adjuntar archivos',
    files: 'Archivos adjuntos',
    remove: 'Quitar «{name}»',
    uploading: 'Subiendo…',
    reading: 'Leyendo…',
    ready: 'Listo',
    tooLarge: 'Este archivo es demasiado grande.',
    tooLong: 'El texto de este archivo es demasiado largo.',
    unreadable: 'Este archivo no contiene texto legible.',
    format:
      'Este tipo de archivo no es compatible. Adjunte texto, Markdown, HTML, CSV, JSON, PDF o Word.',
    tooMany: 'Aquí no se pueden adjuntar más archivos.',
    tooOften: 'Demasiados archivos en poco tiempo. Espere un momento.',
    failed: 'No se pudo subir el archivo. Inténtelo de nuevo.',
    unsent:
      'Su pregunta no se envió porque no se pudo adjuntar un archivo. Quite ese archivo o envíe la pregunta de nuevo.',
  },
  fr: {
    attach: 'Joindre des fichiers',
    files: 'Fichiers joints',
    remove: 'Retirer « {name} »',
    uploading: 'Envoi…',
    reading: 'Lecture…',
    ready: 'Prêt',
    tooLarge: 'Ce fichier est trop volumineux.',
    tooLong: 'Le texte de ce fichier est trop long.',
    unreadable: 'Ce fichier ne contient aucun texte lisible.',
    format:
      'Ce type de fichier n’est pas pris en charge. Joignez du texte, Markdown, HTML, CSV, JSON, PDF ou Word.',
    tooMany: 'Il n’est pas possible de joindre d’autres fichiers ici.',
    tooOften: 'Trop de fichiers en peu de temps. Veuillez patienter un instant.',
    failed: 'L’envoi du fichier a échoué. Veuillez réessayer.',
    unsent:
      'Votre question n’a pas été envoyée, car un fichier n’a pas pu être joint. Retirez ce fichier ou envoyez de nouveau la question.',
  },
  ja: {
    attach: 'ファイルを添付',
    files: '添付ファイル',
    remove: '「{name}」を削除',
    uploading: 'アップロード中…',
    reading: '読み取り中…',
    ready: '準備完了',
    tooLarge: 'このファイルは大きすぎます。',
    tooLong: 'このファイルのテキストは長すぎます。',
    unreadable: 'このファイルには読み取れるテキストがありません。',
    format:
      'この形式のファイルには対応していません。テキスト、Markdown、HTML、CSV、JSON、PDF、Wordを添付してください。',
    tooMany: 'これ以上ファイルを添付できません。',
    tooOften: '短時間に送信されたファイルが多すぎます。しばらくお待ちください。',
    failed: 'アップロードに失敗しました。もう一度お試しください。',
    unsent:
      'ファイルを添付できなかったため、質問は送信されませんでした。そのファイルを削除するか、質問をもう一度送信してください。',
  },
  ru: {
    attach: 'Прикрепить файлы',
    files: 'Прикреплённые файлы',
    remove: 'Удалить «{name}»',
    uploading: 'Загрузка…',
    reading: 'Чтение…',
    ready: 'Готово',
    tooLarge: 'Этот файл слишком большой.',
    tooLong: 'Текст этого файла слишком длинный.',
    unreadable: 'В этом файле нет читаемого текста.',
    format:
      'Этот тип файла не поддерживается. Прикрепите текст, Markdown, HTML, CSV, JSON, PDF или Word.',
    tooMany: 'Здесь больше нельзя прикрепить файлы.',
    tooOften: 'Слишком много файлов за короткое время. Подождите немного.',
    failed: 'Не удалось загрузить файл. Попробуйте ещё раз.',
    unsent:
      'Вопрос не отправлен, потому что не удалось прикрепить файл. Удалите этот файл или отправьте вопрос ещё раз.',
  },
  zh: {
    attach: '添加附件',
    files: '已添加的附件',
    remove: '移除“{name}”',
    uploading: '正在上传…',
    reading: '正在读取…',
    ready: '已就绪',
    tooLarge: '此文件过大。',
    tooLong: '此文件的文本过长。',
    unreadable: '此文件没有可读取的文本。',
    format: '不支持此类型的文件。请添加文本、Markdown、HTML、CSV、JSON、PDF 或 Word 文件。',
    tooMany: '此处无法再添加文件。',
    tooOften: '短时间内上传的文件过多。请稍候。',
    failed: '上传失败。请重试。',
    unsent: '问题未发送，因为有文件无法附加。请移除该文件，或再次发送问题。',
  },
};

/** @param language language of the page. Unknown languages are shown in English. */
export function attachmentStrings(language: string): AttachmentStrings {
  return ATTACHMENT_STRINGS[language as Language] ?? ATTACHMENT_STRINGS.en;
}

const PROBLEMS: Readonly<Record<string, keyof AttachmentStrings>> = {
  'chat.attachment-too-large': 'tooLarge',
  'http.body-too-large': 'tooLarge',
  'chat.attachment-too-long': 'tooLong',
  'chat.attachment-unreadable': 'unreadable',
  'knowledge.invalid': 'unreadable',
  'knowledge.format-unknown': 'format',
  'chat.attachments-disabled': 'tooMany',
  'chat.attachments-of-conversation': 'tooMany',
  'chat.attachments-of-link': 'tooMany',
  'chat.too-many-attachments': 'tooOften',
};

/** Returns the text for an error code of an upload. */
export function problemOf(code: string, strings: AttachmentStrings): string {
  return strings[PROBLEMS[code] ?? 'failed'];
}
