import type { Language } from '../words/language.ts';

export type SmallTalkKind =
  | 'greeting'
  | 'thanks'
  | 'farewell'
  | 'acknowledgement'
  | 'human'
  | 'identity';

type ListedKind = Exclude<SmallTalkKind, 'human'>;

/** Phrases of small talk, separated by semicolons. Case, accents and punctuation do not matter. */
export const PHRASES_OF: Record<Language, Record<ListedKind | 'filler', string>> = {
  en: {
    greeting: `hello; hi; hey; hi there; hello there; hey there; good morning; good afternoon; good evening; good day; greetings;
      how are you; how are you doing; how is it going; nice to meet you; anybody there; are you there`,
    thanks: `thanks; thank you; thx; ty; cheers; thanks a lot; thank you very much; many thanks; thank you so much; much appreciated;
      that helped; that was helpful; very helpful; thats very kind; that is kind of you`,
    farewell: `bye; goodbye; good bye; bye bye; see you; see you later; see you soon; have a nice day; have a good day; good night;
      take care; thats all; that is all; that s all; that will be all; nothing else; no more questions`,
    acknowledgement: `ok; okay; k; great; got it; i see; understood; fine; cool; perfect; alright; all right; good; nice; awesome;
      wonderful; excellent; makes sense; sounds good; good to know; never mind; no problem; sure; right; yes; no; yep; nope; super;
      very good; very well; interesting; i understand; all good; lol; haha`,
    identity: `who are you; what are you; what is your name; what s your name; what can you do; what can you do for me; what do you do;
      how can you help me; how can you help; how do you work; what can i ask you; what can i ask; are you a bot; are you a robot;
      are you human; are you a human; are you a real person; are you real; are you an ai; is this a bot; am i talking to a bot;
      what do you know; tell me about yourself; introduce yourself; who am i talking to; what is this; help; help me; can you help me;
      can you help; i need help; i have a question; can i ask you something; can i ask a question; who made you`,
    filler:
      'then; so; please; now; well; oh; and; for your help; for the help; for now; very much; really; just; but; again',
  },
  de: {
    greeting: `hallo; hi; hey; guten tag; guten morgen; guten abend; gruss gott; gruezi; moin; servus; hallo zusammen; wie geht es dir;
      wie geht es ihnen; wie geht s; wie gehts`,
    thanks: `danke; danke schon; dankeschon; vielen dank; danke sehr; besten dank; herzlichen dank; tausend dank; danke dir; danke ihnen;
      merci; das hat geholfen; das war hilfreich`,
    farewell: `tschuss; tschuess; auf wiedersehen; wiedersehen; bis bald; bis spater; bis dann; ciao; schonen tag; einen schonen tag noch;
      schonen tag noch; gute nacht; das war alles; das ware alles; mach s gut`,
    acknowledgement: `ok; okay; alles klar; super; gut; sehr gut; prima; verstanden; verstehe; ich verstehe; in ordnung; toll; perfekt;
      klasse; aha; ach so; passt; genau; ja; nein; schon; wunderbar; ausgezeichnet; interessant; gut zu wissen; stimmt`,
    identity: `wer bist du; wer sind sie; was bist du; was sind sie; wie heisst du; wie heissen sie; was kannst du; was konnen sie;
      was kannst du fur mich tun; was konnen sie fur mich tun; wie kannst du mir helfen; wie konnen sie mir helfen; bist du ein bot;
      bist du ein roboter; bist du ein mensch; sind sie ein mensch; sind sie ein bot; bist du eine ki; was kann ich dich fragen;
      was kann ich fragen; hilfe; kannst du mir helfen; konnen sie mir helfen; ich habe eine frage; was machst du`,
    filler:
      'dann; also; bitte; jetzt; na; und; noch; fur die hilfe; fur ihre hilfe; fur deine hilfe; schon; mal; aber',
  },
  fr: {
    greeting:
      'bonjour; bonsoir; salut; coucou; hello; bonjour a tous; comment allez vous; comment vas tu; ca va; comment ca va',
    thanks: `merci; merci beaucoup; merci bien; mille mercis; grand merci; un grand merci; je vous remercie; je te remercie;
      ca m aide beaucoup; c est tres utile`,
    farewell: `au revoir; a bientot; a plus; a plus tard; bonne journee; bonne soiree; bonne nuit; adieu; ciao; salut a bientot; c est tout;
      a demain`,
    acknowledgement: `ok; okay; d accord; parfait; tres bien; super; bien; compris; j ai compris; je comprends; entendu; ca marche; genial;
      c est note; oui; non; excellent; d acc; bien recu; c est bon; interessant; nickel`,
    identity: `qui es tu; qui etes vous; tu es qui; vous etes qui; comment t appelles tu; comment vous appelez vous; que peux tu faire;
      que pouvez vous faire; qu est ce que tu peux faire; qu est ce que vous pouvez faire; que sais tu faire; que savez vous faire;
      comment peux tu m aider; comment pouvez vous m aider; es tu un robot; etes vous un robot; es tu humain; etes vous humain;
      etes vous une vraie personne; es tu un bot; aide; aidez moi; aide moi; pouvez vous m aider; peux tu m aider; j ai une question;
      que puis je demander`,
    filler:
      'alors; donc; s il vous plait; s il te plait; pour votre aide; pour ton aide; et; mais; bon; a vous; a toi; beaucoup',
  },
  es: {
    greeting:
      'hola; buenos dias; buenas tardes; buenas noches; buenas; hola que tal; que tal; como estas; como esta; saludos; hola a todos',
    thanks: `gracias; muchas gracias; mil gracias; muchisimas gracias; te lo agradezco; se lo agradezco; muy amable; gracias por la ayuda;
      gracias por su ayuda; gracias por tu ayuda; me ayudo mucho`,
    farewell:
      'adios; hasta luego; hasta pronto; hasta manana; chao; chau; nos vemos; que tenga un buen dia; buen dia; eso es todo; hasta la vista',
    acknowledgement: `ok; okay; vale; perfecto; entendido; de acuerdo; bien; muy bien; genial; ya veo; comprendo; entiendo; claro; excelente;
      estupendo; bueno; si; no; esta bien; listo; super; interesante; ya`,
    identity: `quien eres; quien es usted; como te llamas; como se llama usted; que eres; que puedes hacer; que puede hacer; que sabes hacer;
      que haces; en que puedes ayudarme; como puedes ayudarme; como me puedes ayudar; en que me puedes ayudar; eres un robot; eres un bot; eres humano;
      eres una persona; eres una persona real; ayuda; ayudame; me puedes ayudar; puedes ayudarme; puede ayudarme; tengo una pregunta;
      que puedo preguntar; que puedo preguntarte`,
    filler: 'entonces; pues; por favor; ahora; y; por todo; pero; muy',
  },
  ru: {
    greeting:
      'привет; здравствуйте; здравствуй; добрый день; доброе утро; добрый вечер; приветствую; хай; как дела; как вы; доброго дня',
    thanks:
      'спасибо; большое спасибо; спасибо большое; благодарю; благодарю вас; спасибо вам; огромное спасибо; спасибо за помощь; очень помогли',
    farewell:
      'пока; до свидания; до встречи; всего доброго; всего хорошего; хорошего дня; прощайте; увидимся; спокойной ночи; это все; пока пока',
    acknowledgement: `ок; окей; ok; хорошо; понятно; понял; поняла; ясно; отлично; ладно; супер; здорово; прекрасно; замечательно; ага; да; нет;
      все ясно; все понятно; договорились; класс; интересно; угу`,
    identity: `кто ты; кто вы; ты кто; вы кто; как тебя зовут; как вас зовут; что ты умеешь; что вы умеете; что ты можешь; что вы можете;
      что ты умеешь делать; чем ты можешь помочь; чем вы можете помочь; ты робот; вы робот; ты бот; вы бот; ты человек; вы человек; ты живой;
      помощь; помогите; помоги; помогите мне; вы можете помочь; можете помочь; у меня вопрос; у меня есть вопрос; что можно спросить`,
    filler: 'тогда; ну; пожалуйста; и; за помощь; вам; тебе; очень; так',
  },
  ar: {
    greeting:
      'مرحبا; مرحبا بك; اهلا; اهلا وسهلا; السلام عليكم; السلام عليكم ورحمه الله وبركاته; صباح الخير; مساء الخير; هلا; كيف حالك; كيف الحال; سلام',
    thanks:
      'شكرا; شكرا جزيلا; شكرا لك; شكرا لكم; الف شكر; اشكرك; اشكركم; مشكور; شكرا كثيرا; جزاك الله خيرا',
    farewell:
      'مع السلامه; الى اللقاء; وداعا; باي; تصبح على خير; اراك لاحقا; نهارك سعيد; في امان الله; هذا كل شيء',
    acknowledgement:
      'حسنا; تمام; ممتاز; مفهوم; فهمت; طيب; جيد; جيد جدا; رائع; اوكي; ok; نعم; لا; واضح; صحيح; ماشي; عظيم',
    identity: `من انت; من انتم; من تكون; ما اسمك; ما هو اسمك; ماذا يمكنك ان تفعل; ماذا تستطيع ان تفعل; ماذا تفعل; بماذا يمكنك مساعدتي;
      كيف يمكنك مساعدتي; كيف تساعدني; هل انت روبوت; هل انت انسان; هل انت بوت; هل انت شخص حقيقي; مساعده; ساعدني; هل يمكنك مساعدتي; لدي سوال;
      عندي سوال; ماذا يمكنني ان اسال`,
    filler: 'اذن; من فضلك; لو سمحت; و; الان; جدا; لك; على المساعده; على مساعدتك',
  },
  zh: {
    greeting:
      '你好; 您好; 嗨; 哈喽; 早上好; 上午好; 下午好; 晚上好; 早安; 大家好; 在吗; 你好吗; 有人吗',
    thanks: '谢谢; 谢谢你; 谢谢您; 多谢; 感谢; 非常感谢; 十分感谢; 太感谢了; 谢了; 辛苦了',
    farewell: '再见; 拜拜; 回头见; 下次见; 晚安; 没有其他问题了; 没问题了; 就这些; 先这样',
    acknowledgement:
      '好的; 好; 明白; 明白了; 知道了; 了解; 了解了; 懂了; 行; 可以; 嗯; 嗯嗯; 哦; 太好了; 很好; 不错; 收到; 清楚了; ok; 对; 是的; 没事; 没关系',
    identity: `你是谁; 您是谁; 你叫什么; 你叫什么名字; 你能做什么; 您能做什么; 你会做什么; 你可以做什么; 你会什么; 你能帮我什么; 你能帮我做什么; 你是机器人吗;
      你是真人吗; 你是人吗; 我可以问什么; 我能问什么; 帮助; 帮帮我; 你能帮我吗; 能帮我吗; 我有一个问题; 我有个问题; 请问你是谁`,
    filler: '了; 啊; 呀; 那; 请; 吧; 啦; 哈; 的; 你的帮助; 您的帮助',
  },
  ja: {
    greeting:
      'こんにちは; こんばんは; おはよう; おはようございます; はじめまして; やあ; もしもし; ハロー; お元気ですか; どうも',
    thanks:
      'ありがとう; ありがとうございます; ありがとうございました; どうもありがとう; どうもありがとうございます; 助かりました; 感謝します; サンキュー; お世話になりました',
    farewell:
      'さようなら; さよなら; バイバイ; またね; じゃあね; また今度; おやすみ; おやすみなさい; 失礼します; それでは; 以上です; ではまた; また後で',
    acknowledgement: `わかりました; 分かりました; わかった; 了解; 了解です; 了解しました; なるほど; はい; いいえ; ok; オーケー; 大丈夫です; いいですね; 承知しました; そうですか;
      そうなんですね; 結構です; うん; すごい; 素晴らしい; 良かった; よかった`,
    identity: `あなたは誰ですか; あなたは誰; 誰ですか; お名前は; 名前は何ですか; 何ができますか; 何ができるの; 何をしてくれますか; あなたは何ができますか; どんなことができますか; ロボットですか;
      ボットですか; 人間ですか; あなたは人間ですか; あなたはロボットですか; 何を聞けますか; 何を質問できますか; 助けて; 助けてください; 手伝ってください; 質問があります; 質問していいですか`,
    filler: 'では; じゃあ; ね; よ; です; 本当に; とても; あの; はい',
  },
};

/** Requests for a person. The patterns match text in the same form as the phrases. */
export const ASKS_FOR_PERSON: Record<Language, RegExp> = {
  en: /(?:^| )(?:talk|speak|chat|connect(?:ed)?|transfer(?:red)?|put)(?: \S+){0,4} (?:human|person|people|someone|somebody|agent|representative|operator|advis[oe]r|employee|human being|staff|team member)(?: (?:please|now|instead|here|real|directly))*$|^(?:(?:i|need|want|a|an|get|me|is|there|please|give|can|could|have|would|like|no) )*(?:real |live |actual )*(?:human|human being|agent|real person|live person|human agent|live agent|operator|representative|live chat|human support)(?: (?:please|now|here))*$|^(?:please )?call me(?: back)?(?: please)?$/,
  de: /(?:mensch(?:en)?|mitarbeiter(?:in|n)?|person|berater(?:in)?|jemandem|jemand|kundenberater|kundenservice|kollegen)(?: (?:bitte|direkt|hier|personlich))* (?:sprechen|reden|verbinden|chatten|telefonieren|verbunden werden|weiterleiten)(?: .{0,20})?$|^verbinde(?:n sie)? mich .*(?:mensch(?:en)?|mitarbeiter(?:in)?|person|berater)$|^(?:(?:ich|will|mochte|brauche|einen|ein|bitte) )*(?:echten? |richtigen? )*(?:menschen?|mitarbeiter|echte person)(?: bitte)?$/,
  fr: /(?:parler|discuter|echanger|joindre|contacter|mettre en relation|mettez moi)(?: \S+){0,4} (?:humain|personne|conseillere?|agent|operateur|quelqu un|employe|collaborateur|vendeur)(?: (?:reelle|humain|svp|s il vous plait|s il te plait))*$|^(?:un )?(?:vrai )?(?:humain|conseiller|agent humain)(?: s il (?:vous|te) plait)?$/,
  es: /(?:hablar|chatear|comunicarme|contactar|comuniqueme|paseme|conectame|ponme)(?: \S+){0,4} (?:persona|humano|agente|operador|alguien|asesor|empleado|representante)(?: (?:real|humana|humano|por favor))*$|^(?:(?:un|una|quiero|necesito) )*(?:agente|humano|persona real|operador)(?: (?:humano|por favor))*$/,
  ru: /(?:поговорить|говорить|пообщаться|связаться|соедините|соедини|переключите|переключи|позовите|свяжите)(?: \S+){0,4} (?:человек\S*|оператор\S*|сотрудник\S*|менеджер\S*|консультант\S*|кем нибудь|людьми|специалист\S*)(?: пожалуйста)?$|^(?:(?:мне|нужен|нужна|живой|хочу) )*(?:оператор|живой человек|человек|менеджер|живого человека|оператора)(?: пожалуйста)?$/,
  ar: /(?:تحدث|اتحدث|تكلم|اتكلم|حديث|تواصل|اتواصل|كلام|حولني|حوليني|صلني|توصيلي)(?: \S+){0,4} (?:شخص|انسان|موظف|ممثل|احد|مندوب|مسوول|بشري|وكيل)(?: (?:حقيقي|بشري|من فضلك|لو سمحت|خدمه العملاء))*$|^(?:(?:اريد|احتاج) )*(?:شخص حقيقي|موظف|انسان|شخصا حقيقيا|موظفا)$/,
  zh: /(?:转|找|要|接|想和|跟|和|与|联系).{0,4}(?:人工|真人|客服|人工客服|活人|人说话|人聊).{0,4}$|^(?:人工|人工客服|真人|客服|转人工)$/,
  ja: /(?:人間?|担当者|オペレーター|スタッフ|有人|係の人|係員)(?:と|に|の方と|の人と).{0,6}(?:話|つな|繋|相談|チャット|代わ|かわ|会話).{0,12}$|^(?:オペレーター|担当者|有人チャット|人間)(?:お願いします|をお願いします|を呼んで(?:ください)?)?$/,
};
