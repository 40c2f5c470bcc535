/**
 * The most common names of each heritage, most common first, since @faker-js/faker's lists are alphabetical.
 * `St.`, `Van` and `Dela` before a capital letter are written as separate words in the name.
 */

export const FEMALE_RANKS =
	"Jennifer Mary Lisa Patricia Linda Susan Michelle Karen Kimberly Elizabeth Jessica Amanda Melissa Barbara Sarah " +
	"Angela Nancy Stephanie Amy Deborah Laura Rebecca Maria Heather Christine Sandra Ashley Donna Cynthia Nicole " +
	"Sharon Kelly Julie Pamela Tiffany Christina Teresa Debra Tammy Cheryl Kathleen Rachel Diane Lori Carol Andrea " +
	"Danielle Anna Samantha Katherine Denise Emily Tracy Dawn Robin Catherine Wendy Tina Megan Victoria Jill Janet";
export const MALE_RANKS =
	"Michael John David James Robert William Mark Richard Christopher Thomas Jeffrey Steven Joseph Brian Daniel Kevin " +
	"Charles Anthony Scott Paul Matthew Timothy Kenneth Eric Jason Gary Gregory Andrew Stephen Edward Ronald Ryan " +
	"George Joshua Donald Patrick Larry Jonathan Justin Dennis Frank Peter Douglas Jose Brandon Keith Raymond Jerry " +
	"Benjamin Craig Adam Todd Samuel Aaron Nicholas Chad Bryan Sean Alexander Kyle Nathan Travis Juan Carlos Jesse";
export const ANGLO_RANKS =
	"Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Thomas Moore Martin Jackson Thompson White " +
	"Lee Harris Clark Lewis Robinson Walker Hall Young Allen King Wright Scott Green Baker Adams Nelson Hill Campbell " +
	"Mitchell Roberts Carter Phillips Evans Turner Parker Collins Edwards Stewart Morris Murphy Cook Rogers Morgan " +
	"Cooper Peterson Reed Bailey Kelly Howard Cox Ward Richardson Watson Brooks Wood Bennett Gray James Hughes Price " +
	"Myers Long Foster Sanders Ross Powell Sullivan Russell Jenkins Perry Butler Barnes Fisher O'Brien McDonald " +
	"O'Connor MacDonald McCarthy St.Clair DeLuca VanBuren FitzGerald";
export const HISPANIC_RANKS =
	"Rodríguez García Martínez González Hernández López Pérez Sánchez Ramírez Torres Rivera Gómez Díaz Reyes Morales " +
	"Cruz Ortiz Gutiérrez Chávez Ramos Ruiz Álvarez Mendoza Vásquez Castillo Jiménez Moreno Romero Herrera Medina " +
	"Aguilar Vargas Castro Fernández Guzmán Muñoz Méndez Salazar Soto Delgado Núñez Peña Colón Vega Santiago Nieves";
export const FRENCH_RANKS =
	"Tremblay Gagnon Roy Côté Bouchard Gauthier Morin Lavoie Fortin Gagné Ouellet Pelletier Bélanger Lévesque Bergeron " +
	"Leblanc Paquette Girard Simard Boucher Caron Beaulieu Cloutier Dubé Poirier Fournier Lapointe Leclerc Lefebvre " +
	"Poulin Thibault St-Pierre Nadeau Martel Landry Hébert Richard Desjardins Boudreau Grenier Couture Therrien " +
	"Mercier Arsenault Després Cormier Lemieux Champagne Charbonneau Théberge Bédard D'Amours L'Écuyer";
export const FRENCH_FEMALE_RANKS =
	"Marie Nathalie Isabelle Sylvie Julie Chantal Manon France Caroline Mélanie Annie Geneviève Josée Marie-Ève Stéphanie " +
	"Martine Lucie Véronique Diane Linda Johanne Hélène Valérie Andrée Marie-Claude Anne-Marie Danielle Karine Céline";
export const FRENCH_MALE_RANKS =
	"Michel Pierre Daniel Martin Alain Sylvain Marc François André Stéphane Éric Patrick Jean-François Benoît Mathieu " +
	"Sébastien Jacques Claude Yves Luc Robert Jean Serge Mario Guy Louis Frédéric Jean-Philippe René Gaétan Réjean";
export const ASIAN_RANKS =
	"Nguyễn Kim Lee Chen Wang Tran Li Liu Zhang Wong Park Lin Huang Yang Wu Chan Le Choi Pham Cheng Chang Xu Tanaka " +
	"Yamamoto Nakamura Santos Reyes DelaCruz Bautista Ocampo Zhao Zhou Sun Ma Zhu Hu Guo Gao Lam Leung Cheung Ng Ho " +
	"Tang Yu Lai Kwan Chow Fong Chin Yee Shin Kang Cho Jung Han Lim Song Hong Suzuki Sato Watanabe Ito Kobayashi Vang";
export const ASIAN_FEMALE_RANKS =
	"Grace Jenny Linh Mei Ying Hui Li Yan Xiao Min Jing Yuki Hana Soo-Jin Eun Ji-Young Thuy Lan Huong Mai Amy Cindy " +
	"Michelle Christine Tina Joyce Vivian Winnie Emily Angela Kimberly Jessica Maricel Analyn Kristine Jia Na Wei";
export const ASIAN_MALE_RANKS =
	"David Kevin Wei Jun Minh Tuan Andrew Jason Michael Peter Eric Tony Steven Hung Duc Sung Jae Min-Ho Young Hiroshi " +
	"Kenji Takashi Ming Jian Yong Feng Hao Henry Raymond William Daniel Alan Jose Roberto Andy Johnny Vincent Long";
export const INDIAN_RANKS =
	"Patel Singh Kaur Sharma Shah Khan Gill Dhillon Kumar Gupta Sidhu Grewal Ahmed Sandhu Reddy Rao Desai Mehta Nair " +
	"Dhaliwal Brar Malik Hussain Ali Bhatt Joshi Verma Chopra Thomas George Mathew Iyer Menon Bains Mann Johal";
export const COMMON_EUROPEAN_RANKS =
	"Schmidt Rossi Kowalski Weber Hoffmann Schneider Meyer Wagner Becker Klein Wolf Novak Nowak Larson Olson Hansen " +
	"Jensen Petersen Jørgensen Müller Schäfer Kaminski Wiśniewski Esposito Russo Ferrari Romano Colombo Silva Santos " +
	"Pereira Ferreira Cohen Levy Friedman Goldberg Petrov Ivanov Popov VanDyke DeVries Janssen Søndergård Łukaszewicz";

/** Halves of English place-like surnames: rare names that no list contains. */
export const ANGLO_BEGINNINGS =
	"Ash Brad Burn Cald Car Clay Clif Cran Dal Dun Fair Farn Hal Ham Har Hart Hather Hazel Hunt Kings Kirk Lang Law Lock " +
	"Long Mel Mid Mill Nor Oak Old Pem Pres Red Rock Shel Sher Stan Stock Thorn Till Wake Wal Wat Wel West Whit Wick Wood";
export const ANGLO_ENDINGS =
	"bourne bridge brook bury by combe croft dale den don field ford gate grove ham hurst land ley low man more shaw " +
	"stead ston ton wall well wick worth";
