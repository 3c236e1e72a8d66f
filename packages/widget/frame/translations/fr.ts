import type { Strings } from './strings.ts';

// Before : a no-break space stands, before ? ! ; a narrow one, as French has it.
export const fr: Strings = {
  assistant: 'Assistant',
  opening: 'Un instant, s’il vous plaît…',
  // Avis à la place de la conversation
  expired: 'Ce lien a expiré',
  expiredWhy: 'Il n’était valable que pour un temps limité.',
  revoked: 'Ce lien a été retiré',
  revokedWhy: 'Il ne peut plus être utilisé.',
  unknown: 'Nous ne connaissons pas ce lien',
  unknownWhy:
    'Une partie s’est peut-être perdue lors de la copie. Veuillez le vérifier, ou en demander un nouveau là où vous l’avez obtenu.',
  signInToGoOn: 'Veuillez vous reconnecter pour continuer.',
  askForNewLink: 'Veuillez en demander un nouveau là où vous l’avez obtenu.',
  signIn: 'Se reconnecter',
  noConnection: 'Pas de connexion',
  noConnectionWhy: 'L’assistant est injoignable pour le moment. Nous continuons d’essayer.',
  busy: 'Veuillez patienter un instant',
  busyWhy: 'L’assistant est très sollicité. Il s’ouvrira de lui-même dès que possible.',
  tryNow: 'Essayer maintenant',
  offline: 'Vous êtes hors ligne. Nous continuons d’essayer de joindre l’assistant.',
  // La conversation
  placeholder: 'Posez une question',
  question: 'Votre question',
  send: 'Envoyer',
  stop: 'Arrêter',
  conversation: 'Conversation',
  youCouldAsk: 'Vous pourriez demander',
  welcomeBack: 'Heureux de vous revoir. Voici où vous en étiez.',
  you: 'Vous',
  thinking: 'Recherche d’une réponse…',
  stopped: 'Arrêté.',
  hidden: 'Cette réponse repose sur des documents auxquels vous n’avez plus accès.',
  tooLong: 'C’est trop long\u00a0: {limit} caractères au plus, s’il vous plaît.',
  notKept: 'Cette conversation n’est pas conservée.',
  answerReady: 'La réponse est complète.',
  // Sous une réponse
  sources: 'Sources',
  openSource: 'Ouvrir la source {number}\u00a0: {name}',
  copy: 'Copier',
  copied: 'Copié',
  again: 'Répondre à nouveau',
  tryAgain: 'Réessayer',
  helpful: 'Utile',
  notHelpful: 'Pas utile',
  thanks: 'Merci.',
  comment: 'Que pourrions-nous améliorer\u202f? (facultatif)',
  sendComment: 'Envoyer le commentaire',
  // Dans une réponse
  code: 'Code informatique',
  copyCode: 'Copier le code',
  image: 'Image\u00a0: {alt} ({host})',
  table: 'Tableau',
  // Autour de la conversation
  close: 'Fermer',
  newConversation: 'Nouvelle conversation',
  conversations: 'Conversations précédentes',
  noConversations: 'Il n’y a pas de conversation précédente.',
  more: 'Afficher plus',
  deleteConversation: 'Supprimer «\u00a0{title}\u00a0»',
  confirmDelete: 'Supprimer définitivement cette conversation\u202f?',
  delete: 'Supprimer',
  cancel: 'Annuler',
  untitled: 'Sans titre',
  passageGone:
    'Cet extrait ne peut pas être affiché. Il a peut-être changé, ou vous n’y avez plus accès.',
  loading: 'Chargement…',
  toNewest: 'Aller au dernier message',
  // Comment une réponse peut échouer
  failures: {
    'answer-unreachable': 'L’assistant est injoignable pour le moment. Veuillez réessayer.',
    'answer-broken': 'La réponse a été interrompue. Veuillez réessayer.',
    'answer-stalled': 'L’assistant a mis trop de temps à répondre. Veuillez réessayer.',
    'answer-refused':
      'L’assistant n’est pas configuré correctement. Veuillez en informer les responsables de ce service.',
    'answer-overloaded':
      'L’assistant est très sollicité pour le moment. Veuillez réessayer dans quelques instants.',
    'answer-failed': 'L’assistant a rencontré un problème. Veuillez réessayer.',
    'answer-garbage': 'L’assistant n’a pas donné de réponse lisible. Veuillez réessayer.',
    'answer-too-long':
      'La réponse est devenue trop longue et a été coupée. Veuillez demander moins de choses à la fois.',
    'answer-withheld': 'L’assistant n’est pas autorisé à répondre à cette question.',
    restarting: 'Le service redémarre. Veuillez réessayer dans un instant.',
    'not-kept': 'La réponse n’a pas pu être conservée. Veuillez réessayer plus tard.',
    'too-many-turns':
      'Vous avez posé beaucoup de questions en peu de temps. Veuillez attendre {seconds}\u00a0secondes.',
    'turn-running': 'Une autre réponse est encore en cours. Veuillez l’attendre.',
    offline: 'Il n’y a pas de connexion. Veuillez réessayer.',
    other: 'Un problème est survenu de notre côté. Veuillez réessayer.',
  },
};
