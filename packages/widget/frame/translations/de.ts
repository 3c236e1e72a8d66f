import type { Strings } from './strings.ts';

export const de: Strings = {
  assistant: 'Assistent',
  opening: 'Einen Moment, bitte …',
  // Hinweise anstelle des Chats
  expired: 'Dieser Link ist abgelaufen',
  expiredWhy: 'Er war nur begrenzte Zeit gültig.',
  revoked: 'Dieser Link wurde zurückgezogen',
  revokedWhy: 'Er kann nicht mehr verwendet werden.',
  unknown: 'Diesen Link kennen wir nicht',
  unknownWhy:
    'Vielleicht ist beim Kopieren ein Teil verloren gegangen. Bitte prüfen Sie ihn, oder holen Sie sich dort einen neuen, wo Sie ihn bekommen haben.',
  signInToGoOn: 'Bitte melden Sie sich erneut an, um fortzufahren.',
  askForNewLink: 'Bitte holen Sie sich dort einen neuen, wo Sie ihn bekommen haben.',
  signIn: 'Erneut anmelden',
  noConnection: 'Keine Verbindung',
  noConnectionWhy: 'Der Assistent ist zurzeit nicht erreichbar. Wir versuchen es weiter.',
  busy: 'Bitte warten Sie einen Moment',
  busyWhy: 'Der Assistent ist stark ausgelastet. Er öffnet sich von selbst, sobald es wieder geht.',
  tryNow: 'Jetzt versuchen',
  offline: 'Sie sind offline. Wir versuchen weiter, den Assistenten zu erreichen.',
  // Der Chat
  placeholder: 'Stellen Sie eine Frage',
  question: 'Ihre Frage',
  send: 'Senden',
  stop: 'Anhalten',
  conversation: 'Unterhaltung',
  youCouldAsk: 'Sie könnten fragen',
  welcomeBack: 'Willkommen zurück. Hier geht es weiter, wo Sie aufgehört haben.',
  you: 'Sie',
  thinking: 'Antwort wird gesucht …',
  stopped: 'Angehalten.',
  hidden: 'Diese Antwort beruht auf Dokumenten, die Sie nicht mehr sehen können.',
  tooLong: 'Das ist zu lang: bitte höchstens {limit} Zeichen.',
  notKept: 'Diese Unterhaltung wird nicht aufbewahrt.',
  answerReady: 'Die Antwort ist vollständig.',
  // Unter einer Antwort
  sources: 'Quellen',
  openSource: 'Quelle {number} öffnen: {name}',
  copy: 'Kopieren',
  copied: 'Kopiert',
  again: 'Neu beantworten',
  tryAgain: 'Erneut versuchen',
  helpful: 'Hilfreich',
  notHelpful: 'Nicht hilfreich',
  thanks: 'Vielen Dank.',
  comment: 'Was könnte besser sein? (freiwillig)',
  sendComment: 'Kommentar senden',
  // In einer Antwort
  code: 'Programmcode',
  copyCode: 'Code kopieren',
  image: 'Bild: {alt} ({host})',
  table: 'Tabelle',
  // Um den Chat herum
  close: 'Schließen',
  newConversation: 'Neue Unterhaltung',
  conversations: 'Frühere Unterhaltungen',
  noConversations: 'Es gibt keine früheren Unterhaltungen.',
  more: 'Mehr anzeigen',
  deleteConversation: '„{title}“ löschen',
  confirmDelete: 'Diese Unterhaltung endgültig löschen?',
  delete: 'Löschen',
  cancel: 'Abbrechen',
  untitled: 'Ohne Titel',
  passageGone:
    'Diese Textstelle kann nicht angezeigt werden. Vielleicht hat sie sich geändert, oder Sie dürfen sie nicht mehr sehen.',
  loading: 'Wird geladen …',
  toNewest: 'Zur neuesten Nachricht',
  // Wie eine Antwort misslingen kann
  failures: {
    'answer-unreachable':
      'Der Assistent ist zurzeit nicht erreichbar. Bitte versuchen Sie es noch einmal.',
    'answer-broken': 'Die Antwort wurde abgebrochen. Bitte versuchen Sie es noch einmal.',
    'answer-stalled':
      'Der Assistent hat zu lange für die Antwort gebraucht. Bitte versuchen Sie es noch einmal.',
    'answer-refused':
      'Der Assistent ist nicht richtig eingerichtet. Bitte sagen Sie es denen, die diesen Dienst betreiben.',
    'answer-overloaded':
      'Der Assistent ist zurzeit ausgelastet. Bitte versuchen Sie es in Kürze noch einmal.',
    'answer-failed': 'Der Assistent hatte ein Problem. Bitte versuchen Sie es noch einmal.',
    'answer-garbage':
      'Der Assistent hat keine lesbare Antwort gegeben. Bitte versuchen Sie es noch einmal.',
    'answer-too-long':
      'Die Antwort wurde zu lang und ist abgeschnitten. Bitte fragen Sie nach weniger auf einmal.',
    'answer-withheld': 'Der Assistent darf diese Frage nicht beantworten.',
    restarting: 'Der Dienst wird neu gestartet. Bitte versuchen Sie es gleich noch einmal.',
    'not-kept':
      'Die Antwort konnte nicht aufbewahrt werden. Bitte versuchen Sie es später noch einmal.',
    'too-many-turns': 'Sie haben in kurzer Zeit viel gefragt. Bitte warten Sie {seconds} Sekunden.',
    'turn-running': 'Eine andere Antwort ist noch unterwegs. Bitte warten Sie auf sie.',
    offline: 'Es besteht keine Verbindung. Bitte versuchen Sie es noch einmal.',
    other: 'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es noch einmal.',
  },
};
