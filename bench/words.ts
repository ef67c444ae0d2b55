import { type Random, randomOf } from '../test/tools/random.js';

/** Words to make texts of: real ones to search for, and many more, so that no two texts are much alike. */

const ENGLISH =
  'the of and to in a for with at on from by we you all our this that every evening morning night day week music concert workshop market exhibition garden harbour library theatre dance lecture reading walk tour open free welcome children families friends guests artists musicians stories pictures songs stage hall room house street river bridge island winter summer autumn spring light sound colour paper wood stone bread coffee wine table window door ticket programme season festival choir orchestra quartet band film screen museum gallery history science nature birds trees stars moon sea wind rain snow city village square station train bicycle boat';
const LATIN =
  'für über schön großes Müllerhaus Bücher Straße Abend Gäste café théâtre élèves forêt été soirée où déjà musée niño mañana corazón canción música años jardín coração manhã lições pão noite život příběh květina město žluťoučký łódź święto wieczór książka ångström smörgås kväll över årstid gőz szőlő éjszaka könyv';

/** Other scripts: words, and what stands between them. */
const SCRIPTS: { words: string[]; between: string; share: number }[] = [
  {
    share: 0.07,
    between: ' ',
    words:
      'концерт музыка вечер город река книга театр выставка дети друзья праздник весна осень зима лето море лес дорога письмо история художник песня голос свет окно дом школа музей парк площадь'.split(
        ' ',
      ),
  },
  {
    share: 0.03,
    between: ' ',
    words:
      'μουσική βραδιά πόλη θάλασσα βιβλίο θέατρο έκθεση παιδιά φίλοι γιορτή άνοιξη χειμώνας ουρανός τραγούδι φωνή φως σπίτι σχολείο μουσείο πλατεία'.split(
        ' ',
      ),
  },
  {
    share: 0.03,
    between: ' ',
    words:
      'موسيقى مساء مدينة كتاب مسرح معرض أطفال أصدقاء عيد ربيع شتاء بحر أغنية صوت نور بيت مدرسة متحف ساحة قصة حديقة قمر سوق طريق'.split(
        ' ',
      ),
  },
  {
    share: 0.03,
    between: ' ',
    words:
      'संगीत शाम शहर किताब नाटक प्रदर्शनी बच्चे मित्र त्योहार वसंत सर्दी समुद्र गीत आवाज़ प्रकाश घर विद्यालय संग्रहालय कहानी बगीचा'.split(
        ' ',
      ),
  },
  {
    share: 0.07,
    between: '',
    words:
      '音楽会 夕方 町 本 劇場 展覧会 子ども 友だち 祭り 春 冬 海 歌 声 光 家 学校 美術館 広場 物語 庭 月 市場 道 の と で を は に です ます 、 。'.split(
        ' ',
      ),
  },
  {
    share: 0.04,
    between: ' ',
    words:
      '음악회 저녁 도시 책 극장 전시회 아이들 친구 축제 봄 겨울 바다 노래 목소리 빛 집 학교 미술관 광장 이야기 정원 달 시장 길'.split(
        ' ',
      ),
  },
];

const LETTERS = ['eaoiu', 'tnshrdlcmfwpgybvk'];

/** Invented words that can be spoken, the same for every seed. */
function inventedWords(many: number): string[] {
  const random = randomOf(1, 1);
  const words = new Set<string>();
  while (words.size < many) {
    let word = '';
    const length = random.int(3, 10);
    for (let n = random.int(0, 1); word.length < length; n++) {
      word += random.pick([...(LETTERS[n % 2] as string)]);
      if (n % 2 === 1 && random.chance(0.25)) word += random.pick([...'nrslt']);
    }
    words.add(word);
  }
  return [...words];
}

export const RARE = 'xylographers';
export const PHRASE = 'open air cinema';
/** In so many of the texts. */
const PHRASE_SHARE = 0.01;

const COMMON = ENGLISH.split(' ');
const ACCENTED = LATIN.split(' ');
const INVENTED = inventedWords(4000);

const word = (random: Random): string => {
  const kind = random.next();
  if (kind < 0.55) return COMMON[Math.floor(random.next() * COMMON.length)] as string;
  const r = random.next();
  return kind < 0.62
    ? (ACCENTED[Math.floor(r * ACCENTED.length)] as string)
    : (INVENTED[Math.floor(r * r * INVENTED.length)] as string);
};

function scriptOf(random: Random): (typeof SCRIPTS)[number] | undefined {
  let left = random.next();
  for (const script of SCRIPTS) {
    left -= script.share;
    if (left < 0) return script;
  }
  return undefined;
}

export function title(random: Random): string {
  const many = random.int(3, 6);
  let text = '';
  for (let n = 0; n < many; n++) text += `${n > 0 ? ' ' : ''}${word(random)}`;
  return (text[0] ?? '').toUpperCase() + text.slice(1);
}

/** Plain or with some markup, in one of the scripts, at least so long. */
export function text(random: Random, length: number): string {
  const script = scriptOf(random);
  const marked = random.chance(0.1);
  let made = random.chance(PHRASE_SHARE) ? `${PHRASE} ` : '';
  let sentence = random.int(6, 14);
  let sentences = 0;
  while (made.length < length) {
    const next = script ? (script.words[Math.floor(random.next() * script.words.length)] as string) : word(random);
    made += marked && random.chance(0.03) ? `<strong>${next}</strong>` : next;
    if (--sentence > 0) made += script?.between ?? ' ';
    else {
      made += ++sentences % 4 === 0 ? '.\n\n' : '. ';
      sentence = random.int(6, 14);
    }
  }
  return made.trim();
}
