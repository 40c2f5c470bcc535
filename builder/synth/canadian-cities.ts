/**
 * Cities of the Canadian provinces: name, population in thousands, and the first two or three characters of
 * their postal codes, as `name*thousands*prefixes|…`.
 */

export const CANADIAN_CITIES: Readonly<Record<string, string>> = {
	AB:
		"Calgary*1306*T1Y T2 T3|Edmonton*1010*T5 T6|Red Deer*101*T4N T4P T4R|Lethbridge*98*T1H T1J T1K|St. Albert*68*T8N|" +
		"Medicine Hat*63*T1A T1B T1C|Grande Prairie*64*T8V T8W T8X|Airdrie*74*T4A T4B|Spruce Grove*38*T7X|Leduc*34*T9E|" +
		"Fort McMurray*68*T9H T9J T9K|Cochrane*32*T4C|Okotoks*30*T1S|Canmore*16*T1W|Banff*8*T1L|Sylvan Lake*16*T4S|" +
		"Lloydminster*19*T9V|Camrose*19*T4V|Beaumont*21*T4X|Fort Saskatchewan*27*T8L|Sherwood Park*73*T8A T8B T8H",
	BC:
		"Vancouver*662*V5 V6|Surrey*568*V3R V3S V3T V3V V3W V3X V3Z V4A V4N V4P|Burnaby*249*V5A V5B V5C V5E V5G V5H|" +
		"Richmond*210*V6V V6W V6X V6Y V7A V7C V7E|Abbotsford*154*V2S V2T V3G|Coquitlam*149*V3B V3E V3J V3K|" +
		"Kelowna*145*V1P V1V V1W V1X V1Y|Langley*161*V1M V2Y V2Z V3A|Delta*109*V4C V4E V4G V4K V4L V4M|Nanaimo*100*V9R V9S V9T|" +
		"Kamloops*98*V1S V2B V2C V2E|Victoria*92*V8R V8S V8T V8V V8W|Saanich*118*V8N V8P V8X V8Z|Chilliwack*93*V2P V2R|" +
		"Maple Ridge*91*V2W V2X V4R|Prince George*77*V2K V2L V2M V2N|New Westminster*79*V3L V3M|West Vancouver*44*V7S V7T V7V|" +
		"North Vancouver*147*V7G V7H V7J V7K V7L V7M V7N V7P|Penticton*37*V2A|Vernon*45*V1B V1H V1T|Courtenay*28*V9J V9N|" +
		"Squamish*24*V8B|Whistler*14*V8E|Fort St. John*21*V1J|White Rock*22*V4B|Port Moody*34*V3H|Campbell River*35*V9H V9W|" +
		"Salmon Arm*19*V1E|Parksville*14*V9P|Sechelt*11*V7Z|Qualicum Beach*9*V9K",
	MB:
		"Winnipeg*750*R2 R3|Brandon*51*R7A R7B R7C|Steinbach*18*R5G|Portage la Prairie*13*R1N|Thompson*13*R8N|Winkler*14*R6W|" +
		"Selkirk*10*R1A|Morden*10*R6M|Dauphin*8*R7N|Gimli*3*R0C|Flin Flon*5*R8A|Niverville*6*R0A",
	NB:
		"Moncton*79*E1A E1C E1E E1G|Saint John*70*E2H E2J E2K E2L E2M|Fredericton*63*E3A E3B E3C|Dieppe*28*E1A|Miramichi*18*E1N E1V|" +
		"Edmundston*16*E3V|Bathurst*12*E2A|Campbellton*7*E3N|Sackville*6*E4L|Caraquet*4*E1W|Shediac*7*E4P|Quispamsis*19*E2E E2G|" +
		"Rothesay*12*E2E E2S|Saint-Basile*4*E7C|Shippagan*2*E8S|Saint-Léonard*1*E7E",
	NL:
		"St. John's*111*A1A A1B A1C A1E A1G A1H|Mount Pearl*23*A1N|Conception Bay South*27*A1W A1X|Corner Brook*20*A2H|" +
		"Paradise*23*A1L|Grand Falls-Windsor*14*A2A A2B|Gander*12*A1V|Happy Valley-Goose Bay*8*A0P|Labrador City*7*A2V|" +
		"Stephenville*7*A2N|Portugal Cove-St. Philip's*8*A1M|Torbay*8*A1K|Bay Roberts*6*A0A|Clarenville*7*A5A",
	NS:
		"Halifax*350*B3H B3J B3K B3L B3M B3N B3P B3R B3S|Dartmouth*101*B2V B2W B2X B2Y B2Z B3A B3B|Sydney*30*B1L B1M B1N B1P B1R B1S|" +
		"Truro*13*B2N|New Glasgow*9*B2H|Glace Bay*17*B1A|Kentville*7*B4N|Amherst*9*B4H|Bridgewater*9*B4V|Yarmouth*7*B5A|" +
		"Lunenburg*2*B0J|Wolfville*5*B4P|Antigonish*5*B2G|Bedford*35*B4A B4B|Lower Sackville*25*B4C B4E|Chéticamp*1*B0E",
	ON:
		"Toronto*2794*M1 M2 M3 M4 M5 M6 M8V M8W M8X M8Y M8Z M9|Ottawa*1017*K1 K2A K2B K2C K2E K2G K2H K2J K2K K2L K2M|" +
		"Mississauga*718*L4T L4W L4X L4Y L4Z L5|Brampton*656*L6P L6R L6S L6T L6V L6W L6X L6Y L6Z L7A|Hamilton*569*L8 L9A L9B L9C|" +
		"London*422*N5V N5W N5X N5Y N5Z N6|Markham*339*L3P L3R L3S L6B L6C L6E|Vaughan*323*L4H L4J L4K L4L L6A|" +
		"Kitchener*257*N2A N2B N2C N2E N2G N2H N2M N2N N2P N2R|Windsor*230*N8N N8P N8R N8S N8T N8W N8X N8Y N9A N9B N9C|" +
		"Richmond Hill*202*L4B L4C L4E L4S|Oakville*214*L6H L6J L6K L6L L6M|Burlington*187*L7L L7M L7N L7P L7R L7S L7T|" +
		"Oshawa*175*L1G L1H L1J L1K L1L|Barrie*148*L4M L4N L9J|St. Catharines*137*L2M L2N L2P L2R L2S L2T|Guelph*144*N1C N1E N1G N1H|" +
		"Cambridge*138*N1P N1R N1S N1T N3C N3E N3H|Whitby*139*L1M L1N L1P L1R|Ajax*127*L1S L1T L1Z|Kingston*133*K7K K7L K7M K7P|" +
		"Milton*133*L9E L9T|Waterloo*121*N2J N2K N2L N2T N2V|Thunder Bay*109*P7A P7B P7C P7E P7G|Niagara Falls*94*L2E L2G L2H L2J|" +
		"Greater Sudbury*166*P3A P3B P3C P3E P3G|Peterborough*84*K9H K9J K9K K9L|Brantford*105*N3P N3R N3S N3T N3V|" +
		"Sault Ste. Marie*72*P6A P6B P6C|North Bay*53*P1A P1B P1C|Sarnia*72*N7S N7T N7V N7W|Belleville*55*K8N K8P K8R|" +
		"Orillia*33*L3V|Collingwood*25*L9Y|Owen Sound*22*N4K|Cornwall*48*K6H K6J K6K|Newmarket*88*L3X L3Y|Aurora*62*L4G|" +
		"Pickering*99*L1V L1W L1X L1Y|Clarington*101*L1B L1C L1E|Hawkesbury*10*K6A|Stratford*33*N4Z N5A|Timmins*41*P4N P4P P4R",
	PE: "Charlottetown*39*C1A C1C C1E|Summerside*16*C1N|Stratford*11*C1B|Cornwall*7*C0A|Montague*2*C0A|Kensington*2*C0B|Souris*1*C0A",
	QC:
		"Montréal*1763*H1 H2 H3 H4A H4B H4C H4E H4G H4H H8N|Québec*549*G1 G2|Laval*438*H7|Gatineau*291*J8P J8R J8T J8X J8Y J8Z J9A J9H|" +
		"Longueuil*255*J4G J4H J4J J4K J4L J4M J4N|Sherbrooke*173*J1C J1E J1G J1H J1J J1K J1L J1N|Lévis*150*G6C G6J G6K G6V G6W G6X|" +
		"Saguenay*145*G7B G7G G7H G7J G7K G7S G7T|Trois-Rivières*139*G8T G8V G8W G8Y G8Z G9A G9B|Terrebonne*120*J6V J6W J6X J6Y J7M|" +
		"Saint-Jean-sur-Richelieu*98*J2W J2X J2Y J3A J3B|Repentigny*86*J5Y J5Z J6A|Brossard*91*J4W J4X J4Y J4Z|" +
		"Drummondville*80*J2A J2B J2C J2E|Saint-Jérôme*80*J5L J7Y J7Z|Granby*69*J2G J2H J2J|Blainville*60*J7B J7C J7E|" +
		"Saint-Hyacinthe*57*J2R J2S J2T|Mirabel*61*J7J J7N|Shawinigan*50*G9N G9P G9R G9T|Dollard-Des Ormeaux*48*H9A H9B H9G|" +
		"Rimouski*49*G5L G5M G5N|Châteauguay*50*J6J J6K|Victoriaville*48*G6P G6R G6S G6T|Mascouche*51*J7K J7L|Saint-Eustache*45*J7P J7R|" +
		"Rouyn-Noranda*42*J9X J9Y|Boucherville*42*J4B|Salaberry-de-Valleyfield*43*J6S J6T|Vaudreuil-Dorion*43*J7V|" +
		"Sorel-Tracy*35*J3P J3R|Côte-Saint-Luc*34*H4V H4W|Pointe-Claire*33*H9R|Val-d'Or*33*J9P|Alma*30*G8B G8C G8E|Sainte-Julie*30*J3E|" +
		"Saint-Georges*33*G5Y G5Z G6A|Boisbriand*28*J7G J7H|Thetford Mines*26*G6G G6H|Sept-Îles*25*G4R G4S|Magog*28*J1X|" +
		"Baie-Comeau*21*G4Z G5C|L'Assomption*24*J5W|Mont-Royal*21*H3P H3R|Sainte-Thérèse*27*J7E|Mont-Tremblant*11*J8E",
	SK:
		"Saskatoon*266*S7H S7J S7K S7L S7M S7N S7R S7S S7T S7V S7W|Regina*226*S4N S4P S4R S4S S4T S4V S4W S4X S4Y S4Z|" +
		"Prince Albert*38*S6V S6W S6X|Moose Jaw*34*S6H S6J S6K|Swift Current*17*S9H|Yorkton*16*S3N|North Battleford*14*S9A|" +
		"Estevan*11*S4A|Weyburn*11*S4H|Lloydminster*12*S9V|Martensville*10*S0K|Warman*12*S0K|Humboldt*6*S0K",
};
