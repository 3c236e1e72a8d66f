import type { Strings } from './strings.ts';

// French requires a no-break space before a colon and a narrow no-break space before a question mark.
export const strings: Strings = {
  assistant: 'Assistant',
  opening: 'Un instant, s’il vous plaît…',
  // Notices that replace the chat
  expired: 'Ce lien a expiré',
  expiredWhy: 'Il n’était valable que pour une durée limitée.',
  revoked: 'Ce lien a été révoqué',
  revokedWhy: 'Il ne peut plus être utilisé.',
  unknown: 'Ce lien n’est pas valide',
  unknownWhy:
    'Il est peut-être incomplet. Vérifiez que vous avez copié le lien en entier ou demandez-en un nouveau.',
  signInToContinue: 'Veuillez vous reconnecter pour continuer.',
  askForNewLink: 'Veuillez demander un nouveau lien.',
  signIn: 'Se reconnecter',
  noConnection: 'Pas de connexion',
  noConnectionWhy: 'L’assistant est injoignable pour le moment. Nous continuons d’essayer.',
  busy: 'Veuillez patienter un instant',
  busyWhy: 'L’assistant est très sollicité. Il s’ouvrira automatiquement.',
  retryNow: 'Réessayer maintenant',
  offline: 'Vous êtes hors ligne. Nous continuons d’essayer de rétablir la connexion.',
  // The conversation and the text field
  placeholder: 'Posez une question',
  question: 'Votre question',
  send: 'Envoyer',
  stop: 'Arrêter',
  conversation: 'Conversation',
  suggestions: 'Questions suggérées',
  welcomeBack: 'Bon retour parmi nous. Vous pouvez reprendre là où vous en étiez.',
  you: 'Vous',
  thinking: 'Recherche d’une réponse…',
  stillWorking: 'Toujours en cours…',
  stopped: 'Arrêté.',
  hidden: 'Cette réponse est masquée, car vous n’avez plus accès à ses sources.',
  tooLong: 'Votre question est trop longue. La limite est de {limit} caractères.',
  notSaved: 'Cette conversation n’est pas enregistrée.',
  answerReady: 'La réponse est complète.',
  // Actions below an answer
  sources: 'Sources',
  openSource: 'Ouvrir la source {number}\u00a0: {name}',
  copy: 'Copier',
  copied: 'Copié',
  regenerate: 'Régénérer la réponse',
  tryAgain: 'Réessayer',
  helpful: 'Utile',
  notHelpful: 'Pas utile',
  thanks: 'Merci pour votre retour.',
  comment: 'Que pourrions-nous améliorer\u202f? (facultatif)',
  sendComment: 'Envoyer le commentaire',
  // Labels inside an answer
  code: 'Code',
  copyCode: 'Copier le code',
  image: 'Image\u00a0: {alt} ({host})',
  table: 'Tableau',
  // Buttons and messages outside the conversation
  close: 'Fermer',
  newConversation: 'Nouvelle conversation',
  conversations: 'Conversations précédentes',
  noConversations: 'Vous n’avez pas de conversations précédentes.',
  more: 'Afficher plus',
  deleteConversation: 'Supprimer «\u00a0{title}\u00a0»',
  confirmDelete: 'Supprimer définitivement cette conversation\u202f?',
  delete: 'Supprimer',
  cancel: 'Annuler',
  untitled: 'Sans titre',
  passageGone:
    'Cet extrait n’est pas disponible. Il a peut-être changé, ou vous n’y avez plus accès.',
  loading: 'Chargement…',
  toNewest: 'Aller au dernier message',
  // Failures of an answer, by error code
  failures: {
    'answer-unreachable': 'L’assistant est injoignable pour le moment. Veuillez réessayer.',
    'answer-broken': 'La réponse a été interrompue. Veuillez réessayer.',
    'answer-stalled': 'L’assistant a mis trop de temps à répondre. Veuillez réessayer.',
    'answer-refused':
      'L’assistant n’est pas configuré correctement. Veuillez contacter l’administrateur.',
    'answer-overloaded':
      'L’assistant est très sollicité pour le moment. Veuillez réessayer dans un instant.',
    'answer-failed': 'L’assistant a rencontré un problème. Veuillez réessayer.',
    'answer-garbage': 'L’assistant a envoyé une réponse illisible. Veuillez réessayer.',
    'answer-too-long':
      'La réponse était trop longue et a été coupée. Veuillez poser une question plus précise.',
    'answer-withheld': 'L’assistant ne peut pas répondre à cette question.',
    restarting: 'Le service redémarre. Veuillez réessayer dans un instant.',
    'not-kept': 'La réponse n’a pas pu être enregistrée. Veuillez réessayer plus tard.',
    'too-many-turns':
      'Vous avez posé trop de questions en peu de temps. Veuillez attendre {seconds}\u00a0secondes.',
    'turn-running':
      'Une autre réponse est encore en cours. Veuillez attendre qu’elle soit terminée.',
    'newer-question':
      'Rien n’a été modifié, car la conversation contient des messages plus récents.',
    offline: 'Pas de connexion. Veuillez réessayer.',
    other: 'Un problème est survenu. Veuillez réessayer.',
  },
};
