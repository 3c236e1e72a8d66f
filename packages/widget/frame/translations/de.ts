import type { Strings } from './strings.ts';

export const strings: Strings = {
  assistant: 'Assistent',
  opening: 'Einen Moment, bitte …',
  // Notices that replace the chat
  expired: 'Dieser Link ist abgelaufen',
  expiredWhy: 'Er war nur für begrenzte Zeit gültig.',
  revoked: 'Dieser Link wurde widerrufen',
  revokedWhy: 'Er kann nicht mehr verwendet werden.',
  unknown: 'Dieser Link ist ungültig',
  unknownWhy:
    'Möglicherweise fehlt ein Teil. Prüfen Sie, ob Sie den ganzen Link kopiert haben, oder fordern Sie einen neuen an.',
  signInToContinue: 'Bitte melden Sie sich erneut an, um fortzufahren.',
  askForNewLink: 'Bitte fordern Sie einen neuen Link an.',
  signIn: 'Erneut anmelden',
  noConnection: 'Keine Verbindung',
  noConnectionWhy: 'Der Assistent ist zurzeit nicht erreichbar. Wir versuchen es weiter.',
  busy: 'Bitte warten Sie einen Moment',
  busyWhy: 'Der Assistent ist stark ausgelastet. Er öffnet sich automatisch.',
  retryNow: 'Jetzt erneut versuchen',
  offline: 'Sie sind offline. Wir versuchen weiter, eine Verbindung herzustellen.',
  // The conversation and the text field
  placeholder: 'Stellen Sie eine Frage',
  question: 'Ihre Frage',
  send: 'Senden',
  stop: 'Stoppen',
  conversation: 'Unterhaltung',
  suggestions: 'Vorgeschlagene Fragen',
  welcomeBack: 'Willkommen zurück. Sie können dort weitermachen, wo Sie aufgehört haben.',
  you: 'Sie',
  thinking: 'Antwort wird gesucht …',
  stillWorking: 'Wird noch bearbeitet …',
  stopped: 'Gestoppt.',
  hidden: 'Diese Antwort ist ausgeblendet, weil Sie keinen Zugriff mehr auf ihre Quellen haben.',
  tooLong: 'Ihre Frage ist zu lang. Erlaubt sind höchstens {limit} Zeichen.',
  notSaved: 'Diese Unterhaltung wird nicht gespeichert.',
  answerReady: 'Die Antwort ist vollständig.',
  // Actions below an answer
  sources: 'Quellen',
  openSource: 'Quelle {number} öffnen: {name}',
  copy: 'Kopieren',
  copied: 'Kopiert',
  regenerate: 'Antwort neu generieren',
  tryAgain: 'Erneut versuchen',
  helpful: 'Hilfreich',
  notHelpful: 'Nicht hilfreich',
  thanks: 'Danke für Ihr Feedback.',
  comment: 'Was könnte besser sein? (optional)',
  sendComment: 'Kommentar senden',
  // Labels inside an answer
  code: 'Code',
  copyCode: 'Code kopieren',
  image: 'Bild: {alt} ({host})',
  table: 'Tabelle',
  // Buttons and messages outside the conversation
  close: 'Schließen',
  newConversation: 'Neue Unterhaltung',
  conversations: 'Frühere Unterhaltungen',
  noConversations: 'Sie haben keine früheren Unterhaltungen.',
  more: 'Mehr anzeigen',
  deleteConversation: '„{title}“ löschen',
  confirmDelete: 'Diese Unterhaltung endgültig löschen?',
  delete: 'Löschen',
  cancel: 'Abbrechen',
  untitled: 'Ohne Titel',
  passageGone:
    'Diese Textstelle ist nicht verfügbar. Vielleicht wurde sie geändert, oder Sie haben keinen Zugriff mehr darauf.',
  loading: 'Wird geladen …',
  toNewest: 'Zur neuesten Nachricht',
  // Failures of an answer, by error code
  failures: {
    'answer-unreachable':
      'Der Assistent ist zurzeit nicht erreichbar. Bitte versuchen Sie es noch einmal.',
    'answer-broken': 'Die Antwort wurde abgebrochen. Bitte versuchen Sie es noch einmal.',
    'answer-stalled':
      'Der Assistent hat zu lange für die Antwort gebraucht. Bitte versuchen Sie es noch einmal.',
    'answer-refused':
      'Der Assistent ist nicht richtig eingerichtet. Bitte wenden Sie sich an die Administration.',
    'answer-overloaded':
      'Der Assistent ist zurzeit ausgelastet. Bitte versuchen Sie es gleich noch einmal.',
    'answer-failed':
      'Beim Assistenten ist ein Problem aufgetreten. Bitte versuchen Sie es noch einmal.',
    'answer-garbage':
      'Der Assistent hat eine unlesbare Antwort gesendet. Bitte versuchen Sie es noch einmal.',
    'answer-too-long':
      'Die Antwort war zu lang und wurde abgeschnitten. Bitte stellen Sie eine genauere Frage.',
    'answer-withheld': 'Der Assistent kann diese Frage nicht beantworten.',
    restarting: 'Der Dienst wird neu gestartet. Bitte versuchen Sie es gleich noch einmal.',
    'not-kept':
      'Die Antwort konnte nicht gespeichert werden. Bitte versuchen Sie es später noch einmal.',
    'too-many-turns':
      'Sie haben in kurzer Zeit zu viele Fragen gestellt. Bitte warten Sie {seconds} Sekunden.',
    'turn-running': 'Eine andere Antwort wird noch erstellt. Bitte warten Sie, bis sie fertig ist.',
    'newer-question': 'Es wurde nichts geändert, weil die Unterhaltung neuere Nachrichten enthält.',
    offline: 'Keine Verbindung. Bitte versuchen Sie es noch einmal.',
    other: 'Etwas ist schiefgegangen. Bitte versuchen Sie es noch einmal.',
  },
};
