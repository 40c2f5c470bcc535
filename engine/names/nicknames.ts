/**
 * Forms of first names: each group is a given name followed by its short and familiar forms, under the loose
 * fold. Names of one group match each other. A short form may be in several groups: it then matches the names
 * of all of them, though these do not match each other.
 *
 * Compiled by hand from common English, Spanish, French and Italian usage.
 */

/** Groups are separated by semicolons. */
const GROUPS = `
aaron ron ronnie; abigail abby abbie gail; abraham abe bram; adelaide addie ada heidi; adrian ade;
agnes aggie nessie; alan allan allen al; albert al bert bertie alberto beto; alejandro alex alejo sandro;
alexander alex alec sandy xander sasha lex al; alexandra alex sandra lexi sandy alexa sasha alejandra allie lexie;
alexis alex lexi lexie; alfred al alf fred freddie alfredo; alfonso alphonse poncho al;
allison allie ally alison ali aly; alyssa aly lyssa;
amanda mandy manda amy; amelia amy millie mia emilia; anastasia ana stacy stacey; andrea andie andi drea;
andrew andy drew andre andres; angela angie ange angelina; angelica angie;
ann anne anna annie nan nancy hannah ana; annette ann anne nettie; anthony tony antonio antoine ant;
antoinette toni nettie; antonia toni tonia; antonio tono tony toni; archibald archie; arnold arnie;
arthur art artie arturo;
ashley ash; augustus gus augie august augustin agustin; barbara barb barbie babs bobbie bobbi; barnabas barney;
bartholomew bart; beatrice bea trixie beatriz betty; beatrix trixie bea; benedict ben bennie;
benjamin ben benny benji bennie benjie benj; bernard bernie barney bern bernardo; bernadette bernie;
bertha bertie; bethany beth; beverly beverley bev; bradford brad; bradley brad; brandon bran; brenda bren;
brian bryan bri; brianna bri briana; bridget biddy bridie;
brittany brit britt brittney; calvin cal; cameron cam; camille cammie cam millie camila; candace candy candi candice;
carlos charles carlitos; carmen carmelita;
carol carole carrie caroline carolyn carolina lyn; cassandra cassie sandra cass;
catherine katherine kathryn katharine kate katie kathy cathy kay kitty kat cate katy kathie trina catalina cathie cat;
cecilia cece cissy celia; charlene char charlie; charles charlie chuck chas chip charley carl chaz;
charlotte lottie charlie lotte char;
cheryl sheryl cher cheri sheri sherri sherry; chester chet;
christine christina chris chrissy tina kristine kristina kristin christy kris cristina christie krissy kristi kristy;
christian chris cristian; christopher chris kit topher cristobal kris; clarence clare; clayton clay; clement clem;
clifford cliff;
clifton cliff; clinton clint; concepcion concha conchita; constance connie constanza; consuelo chelo connie;
cornelius neil neal corny; courtney court; crystal chris; curtis curt kurt; cynthia cindy cyndi cindi; cyrus cy;
daniel dan danny dani; danielle dani dannie daniela; darlene dar; david dave davey davy; deanna dee deana;
deborah deb debbie debra debby debbi debi;
deirdre dee; delbert del; delores dolores lola dee lolita; dennis denny den; denise denny; derrick derek rick;
diana diane di dianna dianne; dominic dom nick domingo dominick; donald don donnie donny; donna don;
dorothy dot dottie dolly dora dorotea; douglas doug; dwight ike; edgar ed eddie; edith edie;
edmund ed eddie ted edmond; edward ed eddie ted teddy ned eduardo lalo edw; edwin ed eddie win;
eleanor ellie nell nora elinor leonor lenore nellie; elena helen elaine lena nena; elijah eli;
elizabeth liz beth betsy betty lizzie eliza elisa elise libby lisa bess bessie ellie liza isabel elisabeth isabella elsie buffy lilibeth bette;
ellen nellie nell; emily em emmy millie; emma em emmy; emmanuel manny manuel emanuel; enrique kike quique henry;
eric rick ricky erik; erica ricki rikki erika; ernest ernie ernesto neto; esperanza espie hope; esther essie ester;
eugene gene eugenio;
evelyn evie eve eva; everett ev; ezekiel zeke; felicia fel felicity; fernando nando fern; florence flo flossie;
frances fran francie fanny frankie francesca francisca; francis frank fran;
francisco paco pancho frank kiko cisco curro; franklin frank;
frederick fred freddie freddy rick fritz federico frederic; gabriel gabe gabby;
gabrielle gabby gabi gabriela elle; gail gale gayle; genevieve gen eve jenny viv; geoffrey geoff jeff jeffrey;
george georgie jorge geo;
georgina georgia georgie gina; gerald gerry jerry gerardo gerard; geraldine gerry geri jerry jeri;
gertrude gertie trudy; gilbert gil gilberto bert; gillian jill gill; giovanni john gianni; gloria glory;
gordon gordy don;
grace gracie graciela; gregory greg gregg gregorio goyo; guadalupe lupe lupita;
guillermo memo william guille; gustavo gus tavo; gwendolyn gwen wendy; harold hal harry harris;
harriet hattie; hector tito; heather hettie; helen nell nellie ellie lena helena; henrietta etta hettie hank;
henry hank harry hal henri; herbert herb bert herbie; hernan nan; herman herm manny; hilary hillary hil;
hortense hortencia tencha; howard howie; hubert hugh bert hugo; hugh hughie hugo; humberto beto;
ignacio nacho iggy; irene rena renie; irving irv; isaac ike zac; isabel isabelle bella izzy belle isabella chabela;
isidro chilo sid; israel izzy; jackson jack; jacob jake jay jakob jacobo coby; jacqueline jackie jacqui jacquelyn;
james jim jimmy jamie jay jaime jas jimmie; jane janie jan jean janet janice; janet jan; jasmine jazz;
jason jay; javier javi xavier; jean jeanie jeannie; jeanette jean jeannie nettie; jeanne jean jeannie joan;
jefferson jeff; jeffrey jeff geoff jeffery;
jennifer jen jenny jenn jennie; jeremiah jerry jeremy; jeremy jerry jem; jerome jerry rome;
jessica jess jessie; jesse jess; jesus chuy chucho; joan joanie jo; joanna jo joanne ann joann;
joaquin quino; john johnny jack jon jonny juan jean johnnie; jonathan jon jonny john nathan jonathon;
jose pepe chepe joe jo joseph; josefina pepa josie fina; joseph joe joey jo josef jos jody; josephine jo josie fifi;
joshua josh; joyce joy; juan juanito; juanita nita; judith judy judi jody; julia julie jules juliana juliet;
julian jules julio; june junie; justin jus; karen kari;
kathleen cathleen kathy cathy kathie kate katie kay kitty kat kath; katrina trina kat katie; kenneth ken kenny;
kevin kev; kimberly kim kimmy kimberley kimmie; kristen kris kristin kirsten krissy kristi;
laura laurie lora lauren lori;
laurence lawrence larry laurie lars lorenzo; leah lee; leigh lee; leon leo lenny; leonard leo len lenny leonardo;
leopold leo leopoldo;
leroy roy lee; leslie les lesley; lester les; letitia tish; lewis lou lew; lillian lily lil lilly liliana;
linda lindy lynn; loretta lori; lorraine lori; louis lou louie luis; louise lou lulu luisa; lourdes lulu; lucas luke;
lucille lucy lu;
lucy lucia luz lucinda cindy; luis lucho; luther lu; lydia liddy; lynette lynn; lynn lyn lynne; mackenzie mac kenzie;
madeline maddie maddy lena madeleine magdalena madelyn; malcolm mal mac; manuel manny manolo manolito;
marcus mark marc marco marcos;
margaret maggie meg peggy marge margie peg greta rita daisy madge margarita marguerite margo megan maisie mamie gretchen;
maria mary marie mia; marianne mary marian mari; maricela mari; marilyn mary lyn; marjorie marge margie marj;
martha marty marta mattie; martin marty; martina tina; marvin marv;
mary molly polly mamie may maria marie minnie maureen mitzi; maryann mary marianne ann; matilda tilda tillie mattie;
matthew matt matty mateo mathew; maureen mo; maurice mo maury mauricio morris;
maximilian max maximiliano maxwell; maxine max; melanie mel; melinda mindy linda lindy; melissa mel missy lissa;
melvin mel;
mercedes merche sadie; meredith merry; michael mike mickey mick micky mitch mikey miguel michel;
michelle shelly mickey shell chelle michele shelley; mildred millie; milton milt; minerva minnie;
miranda mindy randy; miriam mimi mitzi; mitchell mitch; mohammed mohammad muhammad mohamed mo moe; monica mona nica;
montgomery monty; morris mo morrie;
morton mort; nancy nan; natalie nat natalia nattie; natasha tasha nat; nathan nate nat;
nathaniel nate nat nathan natty;
nicholas nick nicky nico nicolas claus klaus; nicole nikki nicki nicky colette; nora norah;
norbert bert norb; norma normie; norman norm; octavia tavia; olivia liv livvy ollie; oliver ollie;
orlando lando; oscar ozzie; oswald oz ozzie; otto otis; pablo paul; pamela pam pammy;
patricia pat patty tricia trish patsy patti paty; patrick pat paddy rick patricio; paul paulie pablo;
paula pauline polly paulina; pedro peter perico; penelope penny; percival percy; peter pete petey;
philip phil phillip pip felipe; priscilla cilla prissy; rachel rae shelly raquel; rafael rafa raphael ralph;
ramon moncho ray; randall randy rand; randolph randy; raul rulo; raymond ray raymundo;
rebecca becky becca beck; regina gina reggie; reginald reg reggie rex; ricardo rick ricky richie cardo;
richard rick dick rich ricky richie ricardo ritchie; rita margarita;
robert bob rob bobby robbie bert robby bobbie roberto robin robt; roberta bobbie bobby robbie berta bobbi;
roberto beto rob robert; rochelle shelly shelley; rocio chio; roderick rod roddy rick rodrigo; rodney rod;
rogelio roger;
roger rodge rog; roland rollie rolando; ronald ron ronnie ronny; rosa rose rosie rosita chayo;
rosario chayo rosie; rosalie rose rosie; rosalind roz ros; rosemary rose rosie romy rosemarie; rowena winnie;
roxanne roxy rox roxana; rudolph rudy rolf rodolfo fito; russell russ rusty; ruth ruthie; salvador chava sal;
salvatore sal sam; samantha sam sammy; samson sam; samuel sam sammy; sandra sandy sandi; sarah sally sadie sara;
santiago chago james diego; scott scotty; sean shawn shaun; sebastian seb bastian; serena rena; sergio checo;
sharon shari sherry; shannon shan; sheila shelly; sherman sherm; sherry sheri sherri sherrie; shirley shirl;
sidney sid sydney syd; silvia sylvia sylvie;
solomon sol; sophia sophie sofia; stacy stacey; stanley stan; stephanie steph stevie steffi stefanie;
stephen steve steven stevie esteban stefan; stuart stu stewart stew;
susan sue susie suzy susanna suzanne susana sukie suzie; sylvester sly vester; tabitha tabby;
tamara tammy tami; teresa theresa terry tess tessa tessie tere teri terri; terrence terry terence terrance;
thaddeus tad thad ted; theodora dora theo; theodore ted teddy theo teo teodoro; thomas tom tommy tomas thos;
tiffany tiff; timothy tim timmy timoteo; tobias toby; tracy trace; tyler ty; tyrone ty; ulysses uly;
valerie val valeria;
vanessa nessa; vera ronnie; verna vern; vernon vern; veronica ronnie vero roni; victor vic vick victorio;
victoria vicky tori vicki vikki vic; vincent vin vince vinnie vinny vicente chente; viola vi; violet vi;
virgil virg; virginia ginny ginger gina; vivian viv vivi viviana; wallace wally; walter walt wally;
wanda wendy; warren ren; wayne way; wendell wen; wesley wes; wilbur will wil; wilfred will fred wil;
wilhelmina billie minnie willa; willard will;
william bill will billy liam willie willy wil guillermo wm billie; wilma willa mina; winifred winnie freda;
winston win winnie; woodrow woody; yolanda yoli; yvette eve; yvonne von vonnie;
zachary zach zack zac zachariah zak; jr junior; sr senior
`;

/** By word, the words that it matches. */
const NICKNAMES: ReadonlyMap<string, ReadonlySet<string>> = readGroups(GROUPS);

const NONE: ReadonlySet<string> = new Set();

/** The other forms of the first name `word`; all under the loose fold. Cost O(1). */
export function nicknamesOf(word: string): ReadonlySet<string> {
	return NICKNAMES.get(word) ?? NONE;
}

function readGroups(groups: string): Map<string, Set<string>> {
	const others = new Map<string, Set<string>>();
	for (const group of groups.split(";")) {
		const names = group.trim().split(/\s+/);
		for (const name of names) {
			const known = others.get(name) ?? new Set<string>();
			for (const other of names) if (other !== name) known.add(other);
			others.set(name, known);
		}
	}
	return others;
}
