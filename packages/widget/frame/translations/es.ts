import type { Strings } from './strings.ts';

export const es: Strings = {
  assistant: 'Asistente',
  opening: 'Un momento, por favor…',
  // Avisos en lugar del chat
  expired: 'Este enlace ha caducado',
  expiredWhy: 'Solo era válido durante un tiempo limitado.',
  revoked: 'Este enlace se ha retirado',
  revokedWhy: 'Ya no se puede utilizar.',
  unknown: 'No conocemos este enlace',
  unknownWhy:
    'Quizá se perdió una parte al copiarlo. Compruébelo, por favor, o pida uno nuevo donde lo obtuvo.',
  signInToGoOn: 'Vuelva a iniciar sesión para continuar, por favor.',
  askForNewLink: 'Pida uno nuevo donde lo obtuvo, por favor.',
  signIn: 'Volver a iniciar sesión',
  noConnection: 'Sin conexión',
  noConnectionWhy: 'En este momento no se puede contactar con el asistente. Seguimos intentándolo.',
  busy: 'Espere un momento, por favor',
  busyWhy: 'El asistente está muy ocupado. Se abrirá por sí solo en cuanto pueda.',
  tryNow: 'Intentar ahora',
  offline: 'No tiene conexión. Seguimos intentando contactar con el asistente.',
  // El chat
  placeholder: 'Haga una pregunta',
  question: 'Su pregunta',
  send: 'Enviar',
  stop: 'Detener',
  conversation: 'Conversación',
  youCouldAsk: 'Podría preguntar',
  welcomeBack: 'Nos alegra que haya vuelto. Aquí es donde lo dejó.',
  you: 'Usted',
  thinking: 'Buscando una respuesta…',
  stopped: 'Detenido.',
  hidden: 'Esta respuesta se basa en documentos que usted ya no puede ver.',
  tooLong: 'Es demasiado largo: {limit} caracteres como máximo, por favor.',
  notKept: 'Esta conversación no se guarda.',
  answerReady: 'La respuesta está completa.',
  // Debajo de una respuesta
  sources: 'Fuentes',
  openSource: 'Abrir la fuente {number}: {name}',
  copy: 'Copiar',
  copied: 'Copiado',
  again: 'Responder de nuevo',
  tryAgain: 'Reintentar',
  helpful: 'Útil',
  notHelpful: 'No es útil',
  thanks: 'Gracias.',
  comment: '¿Qué podría mejorar? (opcional)',
  sendComment: 'Enviar comentario',
  // En una respuesta
  code: 'Código',
  copyCode: 'Copiar el código',
  image: 'Imagen: {alt} ({host})',
  table: 'Tabla',
  // Alrededor del chat
  close: 'Cerrar',
  newConversation: 'Nueva conversación',
  conversations: 'Conversaciones anteriores',
  noConversations: 'No hay conversaciones anteriores.',
  more: 'Mostrar más',
  deleteConversation: 'Eliminar «{title}»',
  confirmDelete: '¿Eliminar esta conversación definitivamente?',
  delete: 'Eliminar',
  cancel: 'Cancelar',
  untitled: 'Sin título',
  passageGone:
    'Este pasaje no se puede mostrar. Puede que haya cambiado o que usted ya no pueda verlo.',
  loading: 'Cargando…',
  toNewest: 'Ir al mensaje más reciente',
  // Cómo puede fallar una respuesta
  failures: {
    'answer-unreachable':
      'En este momento no se puede contactar con el asistente. Inténtelo de nuevo, por favor.',
    'answer-broken': 'La respuesta se interrumpió. Inténtelo de nuevo, por favor.',
    'answer-stalled': 'El asistente tardó demasiado en responder. Inténtelo de nuevo, por favor.',
    'answer-refused':
      'El asistente no está bien configurado. Comuníquelo, por favor, a los responsables de este servicio.',
    'answer-overloaded':
      'El asistente está ocupado en este momento. Inténtelo de nuevo dentro de un rato, por favor.',
    'answer-failed': 'El asistente tuvo un problema. Inténtelo de nuevo, por favor.',
    'answer-garbage': 'El asistente no dio una respuesta legible. Inténtelo de nuevo, por favor.',
    'answer-too-long':
      'La respuesta resultó demasiado larga y se ha cortado. Pregunte menos cosas a la vez, por favor.',
    'answer-withheld': 'El asistente no puede responder a esta pregunta.',
    restarting: 'El servicio se está reiniciando. Inténtelo de nuevo en un momento, por favor.',
    'not-kept': 'No se pudo guardar la respuesta. Inténtelo de nuevo más tarde, por favor.',
    'too-many-turns':
      'Ha preguntado mucho en poco tiempo. Espere {seconds}\u00a0segundos, por favor.',
    'turn-running': 'Todavía hay otra respuesta en curso. Espere a que termine, por favor.',
    offline: 'No hay conexión. Inténtelo de nuevo, por favor.',
    other: 'Algo ha fallado por nuestra parte. Inténtelo de nuevo, por favor.',
  },
};
